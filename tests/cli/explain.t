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
done_testing
