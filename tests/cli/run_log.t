#!/bin/sh
# -v and -q: what each level says, and that none of them tells a secret.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

secret=hunter2$$
levels() {
	sandbox -- sh -c 'exit 3'
	is "$rc:$err" 3: "$at: nothing is said without -v"
	sandbox -v -- sh -c 'exit 3'
	is "$rc" 3 "$at: -v: status"
	like "$err" "^sbx-run: started with backend $backend" "$at: -v tells of the start"
	like "$err" '^sbx-run: ended: exit, status 3, [0-9]+ ms' "$at: -v tells of the end"
	unlike "$err" 'command:' "$at: -v does not tell argv"
	sandbox -vv -- echo word
	like "$err" '^sbx-run: command: echo word$' "$at: -vv tells argv"
	is "$out" word "$at: -vv: stdout is the command's alone"
	run as "$who" "API_TOKEN=$secret" PLAIN=1 "$sbx" -b "$backend" -vvv --json -- \
		printf 'line %s\n' made
	like "$err" 'API_TOKEN' "$at: -vvv has names of variables"
	like "$(printf '%s\n' "$err" | grep -x 'sbx-run: env: PLAIN')" PLAIN "$at: -vvv has those that pass"
	like "$err" '^sbx-run: .*line made' "$at: -vvv has lines of captured output"
	unlike "$out$err" "$secret" "$at: -vvv has no value"
	sandbox -vvvvvvv -- true
	is "$rc" 0 "$at: more -v than there are levels"
	sandbox -q -- ./none
	is "$rc" 127 "$at: -q: status"
	one_line "$err" "$at: -q still tells of errors"
	sandbox -qq -- ./none
	is "$rc:$err" 127: "$at: -qq tells nothing"
}
each_run levels

# secrets WHAT: whatever the level, neither stderr nor the result has the value.
secrets() {
	printf 'FILE_SECRET=%s\n' "$secret" >env-file
	chmod 0644 env-file
	for level in -q -v -vv -vvv; do
		run as "$who" "AWS_SECRET_ACCESS_KEY=$secret" "PLAIN=Bearer $secret-and-more" \
			"$sbx" -b "$backend" "$level" --json --env-report --env-file env-file \
			--env AWS_SECRET_ACCESS_KEY -- \
			true --password "$secret" "--token=$secret" "API_KEY=$secret" \
			"https://user:$secret@host/" "ghp_${secret}abcdefghijklmnopqrstuvwxyz0123"
		is "$rc" 0 "$at: $level: status"
		unlike "$out$err" "$secret" "$at: $level: no secret of environment or argv"
	done
	sandbox --explain -- true --password "$secret" "--token=$secret"
	unlike "$out$err" "$secret" "$at: --explain: no secret of argv"
	sandbox --explain --json -- true --password "$secret" "--token=$secret"
	unlike "$out$err" "$secret" "$at: --explain --json: no secret of argv"
	rm -f env-file
}
callers=${callers%% *} each_run secrets

# A log that cannot be written costs nothing.
lost() {
	rc=0
	as "$who" "$sbx" -b "$backend" -vvv -- sh -c 'exit 5' 2>/dev/full || rc=$?
	is "$rc" 5 "$at: -vvv into a full device"
	rc=0
	as "$who" "$sbx" -b "$backend" -vvv -- sh -c 'echo out; exit 6' 2>&- >"$tmp/.out" || rc=$?
	is "$rc:$(cat "$tmp/.out")" 6:out "$at: -vvv with stderr closed"
}
ONLY=native callers=${callers%% *} each_run lost
done_testing
