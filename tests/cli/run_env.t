#!/bin/sh
# The command's environment: modes, explicit variables, files, the report; what places are called
# inside. The rules themselves have unit tests; here is what arrives in a command.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

# dirty ARG...: sbx-run with an environment that holds some of everything.
dirty() {
	run as "$who" AWS_SECRET_ACCESS_KEY=hunter2 NODE_OPTIONS=--x SSH_AUTH_SOCK=/s PLAIN=plain \
		MONKEY=ape "MESSAGE=Bearer abcdef0123456789" 'BASH_FUNC_f%%=() { :; }' \
		https_proxy=http://user:hunter2@proxy:3128 LC_ALL=C.UTF-8 TZ=UTC \
		DATABASE_URL=postgres://u:hunter2@db/x "$sbx" -b "$backend" "$@"
}

modes() {
	dirty -- env
	is "$rc" 0 "$at: scrub"
	is "$(printf '%s\n' "$out" | grep -E '^(PLAIN|MONKEY|LC_ALL|TZ|https_proxy)=' | sort |
		tr '\n' ' ')" \
		'LC_ALL=C.UTF-8 MONKEY=ape PLAIN=plain TZ=UTC https_proxy=http://proxy:3128 ' \
		"$at: scrub keeps what is harmless"
	unlike "$out" 'hunter2|NODE_OPTIONS|SSH_AUTH|BASH_FUNC|MESSAGE|DATABASE' \
		"$at: scrub drops secrets, handles and code"
	dirty --env-mode allow -- env
	unlike "$out" 'PLAIN|MONKEY|hunter2' "$at: allow keeps only a short list"
	like "$out" '^LC_ALL=C.UTF-8' "$at: allow keeps that list"
	dirty --env-mode clear -- /usr/bin/env
	# without namespaces /tmp is not the command's, so that it must be told what is
	out=$(printf '%s\n' "$out" | grep -v '^TMPDIR=/tmp/sbx-')
	is "$rc:$out" 0: "$at: clear gives nothing"
	dirty --env-mode clear --env A=1 --env PLAIN -- /usr/bin/env
	is "$(printf '%s\n' "$out" | grep -v '^TMPDIR=/tmp/sbx-' | sort | tr '\n' ' ')" \
		'A=1 PLAIN=plain ' \
		"$at: clear and --env gives just that"
	dirty --env-mode clear -- env
	is "$rc:$(printf '%s\n' "$out" | grep -v '^TMPDIR=/tmp/sbx-')" 0: \
		"$at: clear: without a PATH the command is found in the usual folders"
	dirty --env-mode clear --env PATH=/no/such -- env
	is "$rc:$out" 127: "$at: clear: not with one that leads nowhere"
	dirty --env-mode inherit -- env
	like "$out" '^AWS_SECRET_ACCESS_KEY=hunter2$' "$at: inherit gives everything"
}
each_run modes

explicit() {
	printf '# comment\nFROM_FILE=1\nBOTH=file\n\nAPI_TOKEN=from file\n' >env-file
	dirty --env AWS_SECRET_ACCESS_KEY --env API_KEY=k --env EMPTY= --env NOT_SET \
		--env-file env-file --env BOTH=option --unset-env PLAIN --unset-env TZ -- env
	is "$rc:$err" 0: "$at: explicit variables"
	is "$(printf '%s\n' "$out" | grep -cxE -e 'AWS_SECRET_ACCESS_KEY=hunter2|API_KEY=k|EMPTY=' \
		-e 'FROM_FILE=1|BOTH=option|API_TOKEN=from file')" 6 \
		"$at: what is asked for passes, the option before the file"
	unlike "$out" '^(PLAIN|TZ|NOT_SET)' "$at: --unset-env, and a name that is not set"
	dirty --env PLAIN=x --unset-env PLAIN -- env
	unlike "$out" '^PLAIN' "$at: --unset-env wins over --env"
	rm -f env-file
	dirty --env-report -- true
	is "$rc:$out" 0: "$at: --env-report runs the command"
	for name in AWS_SECRET_ACCESS_KEY NODE_OPTIONS SSH_AUTH_SOCK MESSAGE; do
		like "$err" "^sbx-run: .*$name.*\\(.+\\)" "$at: --env-report has $name and its rule"
	done
	unlike "$err" 'hunter2|abcdef0123|PLAIN' "$at: --env-report has no values and nothing kept"
}
callers=${callers%% *} each_run explicit

# What the environment says of places is true inside.
places() {
	mkdir -p sub
	ln -sfn sub link
	run as "$who" PWD=/nowhere "$sbx" -b "$backend" -C link -- sh -c 'echo "$PWD:$(pwd -P)"'
	is "$out" "$PWD/sub:$PWD/sub" "$at: PWD is the real path"
	run as "$who" TMPDIR=/nowhere "$sbx" -b "$backend" -- \
		sh -c 'for d in "$HOME" "${TMPDIR:-/tmp}"; do
			: >"$d/x" && ls -A "$d" && rm "$d/x"; done'
	case $backend in
	native | sandbox_exec) ;;
	*) is "$rc:$(printf '%s' "$out" | tr '\n' ' ')" '0:x x' \
		"$at: HOME and TMPDIR are empty and writable inside" ;;
	esac
	rm -rf sub link
}
each_run places

searched() {
	mkdir -p "$tmp/unseen"
	run as "$who" "PATH=/usr/bin:relative::.:/no/such/folder:$tmp/unseen:/bin" \
		"$sbx" -b "$backend" -- sh -c 'echo "$PATH"'
	case $backend in
	native | sandbox_exec) ;;
	*) is "$out" '/usr/bin:/bin' "$at: PATH is what exists inside" ;;
	esac
	run as "$who" sh -c 'unset PATH; exec "$@"' sh "$sbx" -b "$backend" -- \
		/bin/sh -c '/usr/bin/env'
	out=$(printf '%s\n' "$out" | sed -n 's/^PATH=//p')
	like "$out" '(^|:)/usr/bin(:|$)' "$at: without PATH there is a usual one"
}
each_run searched

# Nothing of the runner's environment can be read from the inside or the outside.
wiped() {
	begin --env PLAIN=1 -- sleep 30
	within 10 sh -c "pgrep -P $pid >/dev/null"
	cat "/proc/$pid/environ" >"$tmp/environ" 2>/dev/null
	ok "$at: the runner's own block is empty" test -z "$(tr -d '\000' <"$tmp/environ")"
	kill -KILL "$pid"
	end
}
tap_is_root && ONLY='native namespace' callers=root each_run wiped

# The runner is not dumpable: its memory and descriptors are closed to the same user.
closed() {
	begin -- sleep 30
	within 10 sh -c "pgrep -P $pid >/dev/null"
	run as_user ls "/proc/$pid/fd"
	isnt "$rc" 0 "$at: descriptors of the runner are closed to its own user"
	run as_user cat "/proc/$pid/environ"
	isnt "$rc" 0 "$at: so is its environment"
	kill -KILL "$pid"
	end
}
# (Linux: prctl(2), PR_SET_DUMPABLE)
is_portable || ONLY=native callers=user each_run closed
done_testing
