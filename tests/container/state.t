#!/bin/sh
# What lies in the state folder is believed, so nobody else may write it: not the command, not another user; and a file
# there names no program to run. With stand-ins for the engine, which say what they were asked.
. "$SBX_ROOT/tests/lib/tap.sh"

need pgrep procps
dir=$tmp/state
log=$tmp/asked
project=$tmp/project
mkdir -p "$tmp/bin" "$project" "$tmp/else"
# stand_in PATH: an engine that answers, and whose run ends as $tmp/run says
stand_in() {
	cat >"$1" <<END
#!/bin/sh
echo "$1 \$*" >>"$log"
case \$1 in
rm) [ ! -e "$tmp/deaf" ] || exec sleep 1000 ;;
info) echo '{"host":{"arch":"$(uname -m)","security":{"rootless":true}}}' ;;
run) . "$tmp/run" ;;
esac
END
	chmod 0755 "$1"
}
stand_in "$tmp/bin/podman"
stand_in "$tmp/else/podman"
export SBX_RUNTIME="$tmp/bin/podman" SBX_IMAGE=localhost/none SBX_STATE_DIR="$dir"

sbx() {
	: >"$log"
	run timeout -k 5 60 "$SBX_BUILD/sbx-run" -b podman "$@" -- true
}

asked() {
	grep -c "^$tmp/$1/podman $2" "$log"
}

# left NAME PROGRAM: what a run of PROGRAM left behind
left() {
	mkdir -p "$dir/run/$1"
	: >"$dir/run/$1/lock"
	printf %s "$2" >"$dir/run/$1/engine"
}

echo 'echo Error: no >&2; exit 125' >"$tmp/run"
sbx
is "$(asked bin info):$(asked bin run):$(asked bin rm)" 1:1:0 'an engine that refuses has nothing to remove' ||
	diag "$err"
echo 'kill -KILL $$' >"$tmp/run"
sbx
isnt "$(asked bin 'rm --force')" 0 'one whose client was killed has: the container is removed'
is "$(ls "$dir/run")" '' 'and the folder is gone'

echo 'echo Error: no >&2; exit 125' >"$tmp/run"
left sbx-0123456789abcdef "$tmp/bin/podman"
left sbx-fedcba9876543210 "$tmp/else/podman"
sbx
is "$(asked bin 'rm --force')" 1 'what the same engine left is removed'
is "$(asked else '')" 0 'a program that a file names is not started'
is "$(ls "$dir/run")" sbx-fedcba9876543210 'its folder is left to who uses it'
SBX_RUNTIME="$tmp/else/podman" sbx
is "$(asked else 'rm --force'):$(ls "$dir/run")" 1: 'who then clears it away'

# left by runs whose engine has hung since: it is not waited for once for each of them
for i in 1 2 3 4 5; do
	left "sbx-000000000000000$i" "$tmp/bin/podman"
done
: >"$tmp/deaf"
sbx
rm "$tmp/deaf"
is "$(asked bin 'rm --force'):$(asked bin run)" 1:1 'an engine that does not answer the sweep is asked once'
sbx
is "$(asked bin 'rm --force'):$(find "$dir/run" -name 'sbx-????????????????' | wc -l)" 5:0 'and by the next run again'

# a run that is killed with its guardian and its client leaves its folder
echo 'exec sleep 100' >"$tmp/run"
DOCKER_HOST=unix:///one "$SBX_BUILD/sbx-run" -b podman -- true >/dev/null 2>&1 &
runner=$!
for _ in $(seq 150); do
	guardian=$(pgrep -P "$runner" | head -n 1)
	client=$(pgrep -P "${guardian:-$runner}" -x sleep | head -n 1)
	[ -z "$client" ] || break
	sleep 0.1
done
kill -KILL "$runner" "$guardian" "$client"
wait "$runner" 2>/dev/null
echo 'echo Error: no >&2; exit 125' >"$tmp/run"
DOCKER_HOST=unix:///two sbx
is "$(asked bin 'rm --force'):$(find "$dir/run" -name 'sbx-????????????????' | wc -l)" 0:1 \
	'another engine is not asked for what it cannot know'
DOCKER_HOST=unix:///one sbx
is "$(asked bin 'rm --force'):$(find "$dir/run" -name 'sbx-????????????????' | wc -l)" 1:0 'the one that was used is'

mkfifo "$tmp/fifo"
rm -f "$dir/engine/podman.json"
mv "$tmp/fifo" "$dir/engine/podman.json"
sbx
is "$rc:$(asked bin run)" 125:1 'a FIFO in the place of a file holds nobody'

for inside in "--root $project" "--rw $project" "--bind $project:/x"; do
	# shellcheck disable=SC2086 # words without blanks
	SBX_STATE_DIR="$project/state" sbx $inside
	is "$rc:$(asked bin run)" 125:0 "a command that could write the state folder is not run: ${inside%% *}"
	like "$err" 'could write the state folder' 'and it says why'
done
SBX_STATE_DIR="$dir" sbx --rw "$dir/run"
is "$(asked bin run)" 0 'nor one that gets a part of it'
SBX_STATE_DIR="$project/state" sbx --root "$project" --root-ro
is "$(asked bin run)" 1 'control: one that can only read it is'
SBX_STATE_DIR="$project/state" sbx
is "$(asked bin run)" 1 'control: or that does not see it'
mkdir "$dir/inside"
sbx --root "$dir/inside"
is "$(asked bin run)" 1 'control: a project beside what is ours'

MCP_BRIDGE_STATE_DIR=state SBX_STATE_DIR='' sbx
is "$rc:$err" '125:sbx-run: MCP_BRIDGE_STATE_DIR: state is not absolute' 'a relative one'

for mode in 0777 0707; do
	chmod "$mode" "$dir"
	sbx
	is "$rc:$(asked bin info):$(asked bin run)" 125:0:0 "a state folder of mode $mode is refused"
	like "$err" 'not yours alone.*SBX_STATE_DIR' 'with the remedy'
done
chmod 0755 "$dir"
chmod 0775 "$dir/run"
sbx
is "$(asked bin run)" 0 'a folder in it that a group can write is refused'
chmod 0755 "$dir/run"
sbx
is "$(asked bin run)" 1 'control: without that it is taken'
if tap_is_root; then
	chown "$tap_user" "$dir"
	sbx
	is "$rc:$(asked bin run)" 125:0 "another user's is refused"
else
	skip "another user's is refused: needs root"
fi
done_testing
