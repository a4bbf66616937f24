#!/bin/sh
# --explain: what it prints is what a run would do, as text and as JSON.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# plan EXPRESSION...: what --explain --json printed is a plan of which each of these (Python, over
# its fields) holds.
plan() {
	"$py" -I -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
for expression in sys.argv[2:]:
    assert eval(expression, dict(d)), (expression, d)' "$tmp/.out" "$@"
}

layers() {
	sandbox --explain -- true
	unlike "$out" '^layers:.* (memory|pids|cpu)( |$)' "$at: no limit, no layer"
	like "$out" '^layers:.* env( |$)' "$at: the environment is one"
	sandbox --explain --json -- true
	ok "$at: --json: no limit, no layer" plan 'not {"memory", "pids", "cpu"} & set(layers)' \
		'"env" in layers'
	sandbox --explain --json --net host --env-mode inherit -- true
	ok "$at: nor is a network or an environment that was asked for" plan \
		'not {"net_ns", "env"} & set(layers)'
	sandbox --explain --json --pids 20 --best-effort -- true
	ok "$at: a limit that was given is one, or missing" plan \
		'"pids" in layers + [m["layer"] for m in missing]'
}
each_run layers

# Names that would be lines, or act on a terminal.
names() {
	[ "$backend" != sandbox_exec ] || return 0 # refuses them
	odd=$(printf 'odd\nroot: forged\n\033[31m\377')
	mkdir "$odd"
	cd "$odd" || bail 'no odd folder'
	run as "$who" "$(printf 'A\nroot: forged=1')" "$sbx" --explain -b "$backend" -- true
	cd .. || bail 'cd ..'
	rmdir "$odd"
	is "$rc" 0 "$at: odd names"
	shown='odd\\x0Aroot: forged\\x0A\\x1B\[31m\\xFF'
	like "$out" "^root: .*/$shown\$" "$at: the root in its printable form"
	like "$out" "^working folder: .*/$shown\$" "$at: so is the working folder"
	if printf '%s\n' "$out" | grep -q '^landlock rules:'; then
		like "$out" "^  [^ ]*/$shown: read\+write\$" "$at: so are the rules"
	fi
	if printf '%s\n' "$out" | grep -q '^view, in this order:'; then
		like "$out" "^  bind rw [^ ]*/$shown\$" "$at: so is the view"
	fi
	like "$out" '^environment:.* A\\x0Aroot: forged ' "$at: so are names of variables"
}
each_run names

network() {
	sandbox --explain -- true
	want=none
	[ "$backend" != native ] || want=host
	like "$out" "^network: $want\$" "$at: the network that there is"
	sandbox --explain --json -- true
	ok "$at: --json: the network that there is" plan "net == '$want'"
}
each_run network

tool() {
	sandbox --explain -- true
	text=$(printf '%s\n' "$out" | sed -n 's/^tool: //p')
	sandbox --explain --json -- true --token hunter2
	case $backend in
	bubblewrap)
		ok "$at: --json has the tool's argv" plan '"--unshare-pid" in tool'
		is "$("$py" -I -S -c 'import json, shlex, sys
print(json.load(open(sys.argv[1]))["tool"] == shlex.split(sys.argv[2]))' "$tmp/.out" "$text")" \
			True "$at: the same as the text"
		;;
	sandbox_exec) ok "$at: --json has the tool's argv" plan 'tool[1:3] == ["-p", profile]' ;;
	*) ok "$at: --json: no tool" plan 'tool == []' ;;
	esac
	unlike "$out" hunter2 "$at: no secret of the command"
}
each_run tool

dropped() {
	for form in '' --json; do
		run as "$who" API_TOKEN=hunter2 "$sbx" -b "$backend" --explain ${form:+"$form"} --env-report -- true
		like "$err" '^sbx-run: env: dropped API_TOKEN \(secret name\)$' \
			"$at: --env-report $form"
		told=$(printf '%s\n' "$err" | grep -c '^sbx-run: env: dropped ')
		is "$(printf '%s\n' "$err" | grep -c .)" "$told" "$at: --env-report $form: no other line"
		unlike "$out$err" hunter2 "$at: --env-report $form: no value"
	done
	run as "$who" API_TOKEN=hunter2 "$sbx" -b "$backend" --env-report -- true
	is "$(printf '%s\n' "$err" | grep -c '^sbx-run: env: dropped ')" "$told" "$at: as many as a run"
	run as "$who" API_TOKEN=hunter2 "$sbx" -b "$backend" --explain -- true
	is "$err" '' "$at: none unasked"
}
each_run dropped
done_testing
