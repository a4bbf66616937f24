#!/bin/sh
# What a command in a container cannot do. Each check has its control: the bare engine, or the same run with one
# defence taken away, lets it happen.
. "$SBX_ROOT/tests/lib/tap.sh"
. "$SBX_ROOT/tests/lib/engine.sh"

need perl perl
attack=$SBX_BUILD/tests/escape/attack
engine_rootfs "$tmp/image.tar" attack="$attack" || skip_all "$engine_why"
secret=SBX$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
export http_proxy="http://user:$secret@proxy.invalid:1" HTTPS_PROXY="http://user:$secret@proxy.invalid:1" \
	MY_TOKEN="$secret" HARMLESS=yes

# Every folder in which a file can be made, and whether what is written there can be run.
cat >"$tmp/places" <<'END'
PATH=/bin
find / -xdev -type d >/tmp/dirs 2>/dev/null
cut -d' ' -f5 /proc/self/mountinfo | while read -r m; do
	case $m in /proc/* | /sys | /sys/*) ;; *) find "$m" -xdev -type d 2>/dev/null ;; esac
done >>/tmp/dirs
sort -u /tmp/dirs | while read -r d; do
	{ printf '#!/bin/sh\n' >"$d/.x"; } 2>/dev/null || continue
	chmod 755 "$d/.x"
	if "$d/.x" 2>/dev/null; then echo "$d runs"; else echo "$d"; fi
	rm -f "$d/.x"
done
END
cat >"$tmp/seen" <<'END'
PATH=/bin
id -u
grep -E '^(CapPrm|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\t ' | tr '\n' ' '
echo
sed 's/:.*//' /proc/net/dev | tail -n +3 | tr -d ' ' | tr '\n' ' '
echo
cat /proc/1/environ 2>/dev/null | wc -c
ls /proc/1/fd 2>/dev/null | wc -l
ls /proc/self/fd | wc -l
ls -d /dev/shm 2>/dev/null
END

places() {
	run engine_sbx -- sh -c "$(cat "$tmp/places")"
	is "$out" "/tmp
/workspace" "$engine: two places can be written, and nothing there be run"
	is "$rc" 0 "$engine: (the search itself works)"
	run engine_bare run --rm -i --network none --tmpfs /tmp:rw,exec localhost/box:1 sh -c "$(cat "$tmp/places")"
	like "$out" '^/tmp runs$' "$engine: control: what is written can be run without noexec"
	like "$out" '^/etc' "$engine: control: other places can be written without --read-only"
	run engine_sbx -- sh -c 'dd if=/dev/zero of=/tmp/x bs=1M count=65 2>/dev/null; wc -c </tmp/x
		dd if=/dev/zero of=/workspace/x bs=1M count=129 2>/dev/null; wc -c </workspace/x'
	is "$out" "67108864
134217728" "$engine: and they have their sizes"
}

seen() {
	run engine_sbx -- sh -c "$(cat "$tmp/seen")"
	is "$(printf '%s\n' "$out" | sed -n 1p)" 65534 "$engine: nobody"
	is "$(printf '%s\n' "$out" | sed -n 2p)" \
		'CapPrm:0000000000000000 CapBnd:0000000000000000 CapAmb:0000000000000000 NoNewPrivs:1 Seccomp:2 ' \
		"$engine: no capability, no new privileges, a filter"
	is "$(printf '%s\n' "$out" | sed -n 3p)" 'lo ' "$engine: no network but the loopback"
	is "$(printf '%s\n' "$out" | sed -n 4p)" 0 "$engine: the first process hides its environment"
	is "$(printf '%s\n' "$out" | sed -n 5p)" 0 "$engine: and its descriptors, which are the engine's"
	is "$(printf '%s\n' "$out" | sed -n 6p)" 4 "$engine: the command has 0, 1, 2 and what ls opened"
	is "$(printf '%s\n' "$out" | sed -n 7p)" '' "$engine: no /dev/shm"
	run engine_bare run --rm -i --network none localhost/box:1 sh -c "$(cat "$tmp/seen")"
	is "$(printf '%s\n' "$out" | sed -n 1p)" 0 "$engine: control: root"
	like "$(printf '%s\n' "$out" | sed -n 2p)" 'CapPrm:0+[1-9a-f]' "$engine: control: capabilities"
	isnt "$(printf '%s\n' "$out" | sed -n 4p)" 0 "$engine: control: a first process that can be read"
	isnt "$(printf '%s\n' "$out" | sed -n 5p)" 0 "$engine: control: and whose descriptors can"
	run engine_bare run --rm -i --network host localhost/box:1 sh -c "$(cat "$tmp/seen")"
	isnt "$(printf '%s\n' "$out" | sed -n 3p)" 'lo ' "$engine: control: more than one network interface"
}

# environments: what passes, and that neither the engine nor its client brings a proxy in.
environments() {
	if [ "$engine" = docker ]; then
		printf '{"proxies":{"default":{"httpProxy":"http://user:%s@proxy.invalid:1"}}}\n' "$secret" \
			>"$DOCKER_CONFIG/config.json"
	fi
	run engine_sbx -- env
	unlike "$out" "$secret" "$engine: no proxy and no secret inside"
	unlike "$out" '_(proxy|PROXY)=' "$engine: not even an empty one"
	like "$out" '^PATH=/bin$' "$engine: the image's PATH, as far as it is there"
	like "$out" '^HOME=/tmp$' "$engine: HOME is a place that can be written"
	like "$out" '^PWD=/workspace$' "$engine: PWD is where it is"
	unlike "$out" '^HARMLESS=' "$engine: other variables of the host do not pass"
	run engine_sbx --env-mode scrub -- env
	[ "$engine" = rootless ] || like "$out" '^HARMLESS=yes$' "$engine: unless they are asked for, one"
	unlike "$out" "$secret|^PATH=.*sbin" "$engine: without secrets, proxies and the host's PATH"
	run engine_sbx --env HARMLESS=2 -- env
	like "$out" '^HARMLESS=2$' "$engine: or the other way"
	run engine_sbx --env http_proxy=http://mine.invalid -- env
	like "$out" '^http_proxy=http://mine.invalid$' "$engine: a proxy that is asked for"
	run engine_sbx --env-mode clear -- /bin/env
	is "$out" '' "$engine: --env-mode clear"
	case $engine in
	podman) run engine_bare run --rm --network none localhost/box:1 env ;;
	rootless)
		run engine_as_user "http_proxy=$http_proxy" timeout 60 \
			podman run --rm --network none localhost/box:1 env
		;;
	docker) run engine_bare run --rm --network none localhost/box:1 env ;;
	esac
	like "$out" "$secret" "$engine: control: the engine passes the proxy on, with its password"
}

# shellcheck disable=SC2086 # words without blanks
attacks() {
	params="root=/workspace ro=/etc outside=/nonexistent secret=/nonexistent/x hidden=/nonexistent
		secret_inode=2 victim=999999 scratch=0 ipc_key=0x5b7 mq=/sbx-escape-mq binary=/ipc/sbx-init
		yranac=$(printf '%s' "$secret" | rev) abstract=sbx-escape dns_name=secret.invalid small=/workspace
		etc_canary=/etc/passwd- opt_canary=/opt/x pid1=sbx-init"
	numbers=1,2,3,11,12,13,14,15,16,17,18,19,21,22,30,33,34,35,36,37,39,63
	run engine_sbx --root "$tmp/root-$engine" -t 60 --result "$tmp/result-$engine/json" -- \
		/attack "$numbers" $params
	printf '%s\n' "$out" >"$tmp/lines"
	perl "$SBX_ROOT/tests/escape/judge.pl" sandbox "$engine" "$tmp/lines" "$tmp/result-$engine/json" "$numbers" \
		>"$tmp/judged" || fail "judge.pl"
	while IFS= read -r line; do
		case $line in
		'# '*) diag "${line#\# }" ;;
		*) tap_result "${line%% *}" "${line#* }" ;;
		esac
	done <"$tmp/judged"
	unconfined='--security-opt seccomp=unconfined'
	run engine_bare run --rm -i --network none $unconfined localhost/box:1 \
		/attack 11,16,17,22,63 $params
	for attempt in 11.unshare-user 16.setup 17.no-randomize 22.allow-all 63.memfd-exec; do
		like "$out" "^succeeded: $attempt " "$engine: control: $attempt works without the filter"
	done
	run engine_sbx --seccomp none -- /attack 11,16,17 $params
	like "$out" '^succeeded: 16.setup ' "$engine: control: and with --seccomp none"
}

# Nothing of the command can be seen from outside, in ps or in the engine's log.
traces() {
	run engine_sbx -t 20 -- sh -c "echo out-$secret; sleep 3 # $secret" &
	job=$!
	sleep 2
	shown=$(pgrep -af "$secret" | grep -v 'sleep 3' | grep -v pgrep)
	is "$shown" '' "$engine: the command shows in no argument of the engine or of sbx"
	shown=$(engine_bare ps -q | while read -r id; do engine_bare inspect "$id"; done | grep -c "$secret")
	is "$shown" 0 "$engine: nor in what the engine knows of the container"
	wait "$job"
}

# images: what an image says of itself does not count
images() {
	case $engine in
	docker) set -- --change 'HEALTHCHECK --interval=1s CMD touch /tmp/healthy' ;;
	*) set -- ;;
	esac
	engine_try engine_bare import "$@" --change 'VOLUME /data' --change 'USER 0:0' --change 'WORKDIR /etc' \
		--change 'ENTRYPOINT ["/bin/false"]' --change 'ENV MINE=yes' "$tmp/image.tar" localhost/own:1 ||
		bail "$engine_why"
	run engine_sbx --image localhost/own:1 -- sh -c 'id -u; pwd; echo $MINE; touch /data/x; sleep 2; ls /tmp'
	is "$(printf '%s' "$out" | tr '\n' ' ')" '65534 /workspace yes' \
		"$engine: an image's user, entry point, folder and health check are not used, its variables are"
	isnt "$err" '' "$engine: and its volume cannot be written"
	run engine_bare run --rm --network none --entrypoint /bin/sh localhost/own:1 -c 'touch /data/x && echo written'
	is "$out" written "$engine: control: it can with the bare engine"
	id=$(engine_bare image inspect --format '{{.Id}}' localhost/own:1)
	run engine_sbx --image "$id" -- true
	is "$rc" 0 "$engine: an image by its digest"
	[ "$engine" = podman ] || return 0
	# without Landlock nothing denies what the engine's configuration mounts: then nothing is run
	mkdir -p "$tmp/volume"
	sed "s|^\[containers\]|&\nvolumes = [\"$tmp/volume:/volume\"]|" "$CONTAINERS_CONF" >"$tmp/volume.conf"
	run env CONTAINERS_CONF="$tmp/volume.conf" SBX_IMAGE=localhost/box:1 "SBX_STATE_DIR=$engine_state" \
		"$SBX_BUILD/sbx-run" -b podman --user 0:0 -- touch /volume/x
	like "$err" 'Permission denied' "$engine: a volume of the engine's configuration is denied by Landlock"
	run "$SBX_BUILD/tests/lib/deny" landlock -- env CONTAINERS_CONF="$tmp/volume.conf" SBX_IMAGE=localhost/box:1 \
		"SBX_STATE_DIR=$engine_state" "$SBX_BUILD/sbx-run" -b podman --user 0:0 -- touch /volume/x
	like "$rc:$err" '^125:sbx-run: /volume can be written' "$engine: and refused where there is none"
	run "$SBX_BUILD/tests/lib/deny" landlock -- env SBX_IMAGE=localhost/box:1 \
		"SBX_STATE_DIR=$engine_state" "$SBX_BUILD/sbx-run" -b podman --json -- true
	like "$rc:$out" '^0:.*"missing":.*"landlock"' "$engine: without one it runs, and says that Landlock is missing"
	is "$(ls "$tmp/volume")" '' "$engine: nothing was written"
}

confined() {
	mkdir -p "$tmp/root-$engine" "$tmp/result-$engine"
	[ "$engine" != rootless ] || chown "$tap_user:" "$tmp/root-$engine" "$tmp/result-$engine"
	places
	seen
	environments
	attacks
	traces
	images
}

engine_each confined
done_testing
