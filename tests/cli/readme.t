#!/bin/sh
# The commands that README.md shows work as they are shown: each line of its shell blocks that starts
# one of our programs is run in a project like the one it speaks of, and so is its policy file.
. "$SBX_ROOT/tests/lib/tap.sh"

readme=$SBX_ROOT/README.md
mkdir -p "$tmp/project/secrets" "$tmp/data"
cd "$tmp/project" || bail 'no project folder'
printf 'test:\n\t@echo tested\n' >Makefile
printf 'print("script")\n' >script.py
printf '#!/bin/sh\ncat\n' >program
chmod 0755 program
echo input >input.txt
PATH=$SBX_BUILD:$PATH
export PATH

# block LANGUAGE: the lines of the fenced blocks in that language.
block() {
	awk -v open="\`\`\`$1" '$0 == open { inside = 1; next } /^```/ { inside = 0 } inside' "$readme"
}

block sh | sed -n '/^sbx-/p' | sed 's/[[:space:]]*#.*//' >"$tmp/commands"
ok 'README.md shows commands' test "$(wc -l <"$tmp/commands")" -ge 5
while IFS= read -r command <&3; do
	# LeakSanitizer ends a program that may not ptrace itself: the sanitizer build of the probe, which runs
	# itself in each sandbox, cannot say yes there
	[ "${SBX_MODE:-release} $command" != 'asan sbx-probe' ] || continue
	sh -c "$command" >"$tmp/out" 2>"$tmp/err" </dev/null
	is "$?" 0 "$command"
done 3<"$tmp/commands"

block json | sed "s|/srv/data|$tmp/data|" >"$tmp/project/policy.json"
ok 'README.md shows a policy file' test -s "$tmp/project/policy.json"
sbx-run --policy "$tmp/project/policy.json" --explain -- ./program >"$tmp/out" 2>"$tmp/err"
is "$?" 0 'its policy file is one'
like "$(cat "$tmp/out")" "hide $tmp/project/secrets" 'and means what it says'
done_testing
