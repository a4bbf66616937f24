#!/bin/sh
# podman's virtual machine, and engines that do not do what they should, against a stand-in that records what it is
# asked and hands `run` on to the real podman.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

engine_rootfs "$tmp/image.tar" || skip_all "$engine_why"
engine_podman_ready || skip_all "$engine_why"
engine_import podman localhost/box:1 "$tmp/image.tar" || skip_all "$engine_why"

fake=$tmp/fake
log=$fake/log
mkdir -p "$fake"
cat >"$fake/podman" <<END
#!/bin/sh
cd "$fake" || exit 99
printf '%s\n' "\$*" >>"$log"
[ "\$1" = run ] || readlink "/proc/\$\$/fd/0" >>"$fake/stdin"
[ ! -e "hang-\$1" ] || exec sleep 1000.7
case "\$1 \$2" in
'info --format')
	[ ! -e garbage ] || { echo 'not JSON'; exit 0; }
	if [ "\$(cat state 2>/dev/null)" != running ] && [ ! -e local ]; then
		echo 'Cannot connect to Podman. Please verify your connection' >&2
		exit 125
	fi
	cat info.json
	;;
'machine inspect') [ -e state ] || exit 125; cat state ;;
'machine start') [ ! -e no-start ] || { echo 'Error: qemu is missing' >&2; exit 125; }; echo running >state ;;
'machine set') [ -e knows-volume ] || { echo 'Error: unknown flag: --volume' >&2; exit 125; } ;;
'machine ssh') [ ! -e blind ] ;;
'rm '*) ;;
run*) exec $(command -v podman) "\$@" ;;
*) exit 98 ;;
esac
END
chmod 0755 "$fake/podman"
arch=$(uname -m)
printf '{"host":{"arch":"%s","security":{"rootless":true},"serviceIsRemote":true},"version":{"Version":"5"}}' "$arch" \
	>"$fake/info.json"
export SBX_RUNTIME="$fake/podman" SBX_IMAGE=localhost/box:1 SBX_STATE_DIR="$tmp/state"

sbx() {
	timeout -k 5 200 "$SBX_BUILD/sbx-run" -b container "$@"
}

# fresh: a stand-in that was never asked, with a machine that is stopped
fresh() {
	rm -rf "$SBX_STATE_DIR" "$fake"/hang-* "$fake/no-start" "$fake/blind" "$fake/garbage" "$fake/local" \
		"$fake/knows-volume"
	echo stopped >"$fake/state"
	: >"$log"
	: >"$fake/stdin"
}

# asked: the questions so far, without what differs from run to run
asked() {
	sed -e "s|$tmp|TMP|g" -e 's/^run .*/run/' -e 's/sbx-[0-9a-f]\{16\}/NAME/' "$log" | tr '\n' ';'
}

fresh
run sbx -- echo inside
is "$rc:$out" '0:inside' 'with a machine that was stopped'
is "$(asked)" "info --format json;machine inspect --format {{.State}};machine inspect --format {{.State}};$(
	)machine set --volume TMP/state:TMP/state;machine start;machine ssh -- test -d TMP/state;run;" \
	'it is started, and asked whether it sees the folder'
is "$(sort -u "$fake/stdin")" /dev/null 'helpers read nothing of ours'
ok 'it is known that we started it' test -e "$SBX_STATE_DIR/engine/machine-started"
: >"$log"
run sbx -- echo again
is "$rc:$out" '0:again' 'with a machine that runs'
is "$(asked)" 'machine inspect --format {{.State}};machine ssh -- test -d TMP/state;run;' \
	'what the engine is, is not asked again, and nothing is started'
mkdir "$tmp/project"
run sbx --root "$tmp/project" -- ls
like "$(asked)" 'ssh -- test -d TMP/state;machine ssh -- test -d TMP/project;run;$' 'a project is looked for too'

fresh
: >"$fake/no-start"
run sbx -- true
is "$rc" 125 'a machine that does not start'
like "$err" '^sbx-run: podman machine: it does not start: Error: qemu is missing' 'and why'
fresh
: >"$fake/blind"
run sbx -- true
like "$rc:$err" "^125:sbx-run: podman's machine does not see $SBX_STATE_DIR.*--volume" 'a folder that it does not share'
fresh
rm "$fake/state"
run sbx -- true
like "$rc:$err" '^125:sbx-run: podman does not work here: Cannot connect to Podman' 'no machine at all'
fresh
: >"$fake/garbage"
run sbx -- true
like "$rc:$err" '^125:sbx-run: podman:1:1' 'an answer that is none'
unlike "$(cat "$log")" rootful 'nothing is ever made rootful'
unlike "$(cat "$log")" 'machine stop' 'and nothing was stopped'

# A machine of another kind of processor runs another sbx, which lies beside this one.
mkdir "$tmp/bin"
cp "$SBX_BUILD/sbx" "$tmp/bin/sbx-run"
sed "s/$arch/riscv64/" "$fake/info.json" >"$tmp/info.json"
cp "$fake/info.json" "$tmp/info.orig"
cp "$tmp/info.json" "$fake/info.json"
fresh
echo running >"$fake/state"
run timeout 60 "$tmp/bin/sbx-run" -b container -- true
like "$rc:$err" "^125:sbx-run: .* a Linux on riscv64: its sbx is not at $tmp/bin/sbx-linux-riscv64" \
	'another processor without its sbx'
# (in truth the processor is ours, and so is this program)
cp "$SBX_BUILD/sbx" "$tmp/bin/sbx-linux-riscv64"
run timeout 60 "$tmp/bin/sbx-run" -b container -- echo other
is "$rc:$out" '0:other' 'and with it'
cp "$tmp/info.orig" "$fake/info.json"

# What would be done, without doing it.
fresh
run sbx --explain -- echo x
is "$rc" 0 '--explain'
like "$out" '^backend: podman$' '--explain: the engine that is taken'
like "$out" '^  memory 536870912 bytes$' '--explain: the limits that it will have'
like "$out" '^tool: .*/podman run --rm -i --name sbx-[0-9a-f]{16} .* localhost/box:1 stdio$' \
	'--explain: the engine and its words'
run sbx --explain --json -- echo x
like "$out" '"backend":"podman".*"timeout_ms":30000.*"pids":128' '--explain --json'
ok '--explain makes nothing' test ! -e "$SBX_STATE_DIR/run"

# Engines that do not answer.
fresh
: >"$fake/hang-info"
run sbx -- true
like "$rc:$err" '^125:sbx-run: podman: .* did not answer within' 'an engine that does not answer: a line, in a while'
is "$(pgrep -f "$fake/podman info" | wc -l)" 0 'and the question is over'
fresh
: >"$fake/local"
: >"$fake/hang-run"
echo running >"$fake/state"
sbx -- true >"$tmp/out" 2>"$tmp/err" &
job=$!
for _ in $(seq 100); do
	grep -q '^run ' "$log" && break
	sleep 0.1
done
kill -TERM "$(pgrep -P "$job")"
wait "$job"
is "$?" 143 'a start that hangs can be ended'
like "$(asked)" 'run;rm --force --time 0 --ignore NAME;' 'and what may be of it is removed'
is "$(ls "$SBX_STATE_DIR/run")" '' 'with its folder'
is "$(pgrep -f "$fake" | wc -l)" 0 'and no process is left'

# A question that gets no answer, likewise.
fresh
: >"$fake/hang-info"
"$SBX_BUILD/sbx-run" -b container --json -- true >"$tmp/silent.json" 2>"$tmp/silent.err" &
job=$!
for _ in $(seq 1 100); do
	grep -q '^info ' "$log" && break
	sleep 0.1
done
start=$(date +%s)
kill -TERM "$job"
wait "$job"
is "$?" 143 'an engine that does not answer can be given up'
ok 'at once' test $(($(date +%s) - start)) -lt 5
like "$(cat "$tmp/silent.json")" '"reason":"cancelled"' 'its result says so'
like "$(cat "$tmp/silent.err")" 'told to end before .* answered' 'and the line'
is "$(pgrep -f '^sleep 1000\.7' | wc -l)" 0 'and no process is left'

# The probe has a row for it, and a second for the question.
fresh
: >"$fake/local"
echo running >"$fake/state"
run timeout 100 "$SBX_BUILD/sbx-probe" -b podman
like "$rc:$out" '^  podman +yes  ran a command in' 'sbx-probe runs a container where an image is named'
run env -u SBX_IMAGE timeout 100 "$SBX_BUILD/sbx-probe" -b container
like "$out" '^  container +yes  podman 5 answers, rootless; no container was tried' 'else it asks the engine'
fresh
: >"$fake/hang-info"
run timeout 100 "$SBX_BUILD/sbx-probe" -b podman
is "$rc" 1 'sbx-probe -b: an engine that does not answer'
like "$out" 'why: podman: .* did not answer within 1000 ms' 'in the second that a step has'

# An engine that is there no more: what was known of it is forgotten with the failure.
fresh
: >"$fake/local"
echo running >"$fake/state"
run sbx -- true
ok 'what an engine said is kept' test -s "$SBX_STATE_DIR/engine/podman.json"
run sbx --image localhost/nosuch:1 -- true
is "$rc" 125 'a run that the engine refused'
ok 'then it will be asked again' test ! -e "$SBX_STATE_DIR/engine/podman.json"
done_testing
