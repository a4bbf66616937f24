#!/bin/sh
# The test harness itself: what must count as a failure does, and the last line tells the truth.
. "$SBX_ROOT/tests/lib/tap.sh"

need prove perl
tree=$tmp/tree
mkdir -p "$tree/tests" "$tmp/release" "$tmp/asan"
cp -R "$SBX_ROOT/tests/lib" "$tree/tests/lib"
chmod -R go+rX "$tmp"

# script NAME BODY: a test script of the group "some".
script() {
	mkdir -p "$tree/tests/some"
	printf '#!/bin/sh\n%s\n' "$2" >"$tree/tests/some/$1.t"
	chmod +x "$tree/tests/some/$1.t"
}

# tally: the last line of a run over all scripts made since the last call.
tally() {
	run env -u SBX_ROOT -u SBX_BUILD "SBX_MUST_RUN=${must:-0}" \
		"$tree/tests/lib/run.sh" "$tmp/release" "$tmp/asan" "${1:-some}"
	last=$(printf '%s\n' "$out" | tail -n 1)
	rm -rf "$tree/tests/some"
}

# shellcheck disable=SC2016 # the variables belong to the scripts
tap='. "$SBX_ROOT/tests/lib/tap.sh"'
script a "$tap; ok one true; is a a two; skip 'not here'; done_testing"
script b "$tap; skip_all 'not here either'"
tally
is "$rc:$last" '0:2 passed, 0 failed, 2 skipped' 'passes and skips are counted'
like "$err" 'skipped: not here' 'the reason of a skip is shown'
script a "$tap; ok one true; skip 'not here'; done_testing"
script b "$tap; skip_all 'not here either'"
must=1
tally
is "$rc:$last" '1:1 passed, 2 failed, 0 skipped' 'SBX_MUST_RUN=1 turns skips into failures'
must=0
script a "$tap; ok one false; ok two true; done_testing"
tally
is "$rc:$last" '1:1 passed, 1 failed, 0 skipped' 'a failed assertion'
script a "$tap; ok one true"
tally
is "$rc:$last" '1:1 passed, 1 failed, 0 skipped' 'a script without done_testing'
script a "$tap; done_testing"
tally
is "$rc:$last" '1:0 passed, 1 failed, 0 skipped' 'a script that asserts nothing'
script a "$tap; ok one true; exit 0"
tally
is "$rc:$last" '1:1 passed, 1 failed, 0 skipped' 'a script that leaves early'
script a 'echo ok 1; echo 1..1; exit 3'
tally
is "$rc:$last" '1:1 passed, 1 failed, 0 skipped' 'a non-zero exit behind a good plan'
script a 'echo ok 1; echo 1..1; exit 3'
script b "$tap; ok one false; done_testing"
tally
is "$rc:$last" '1:1 passed, 2 failed, 0 skipped' 'it counts beside a failed assertion as well'
script a 'echo ok 1; echo 1..2'
tally
is "$rc:$last" '1:1 passed, 1 failed, 0 skipped' 'a broken plan'
script a 'kill -9 $$'
tally
is "$rc:$last" '1:0 passed, 1 failed, 0 skipped' 'a script that is killed'
script a "$tap; bail 'broken'"
tally
isnt "$rc" 0 'a bail-out fails the run'
tally nothing
is "$rc:$last" '1:0 passed, 1 failed, 0 skipped' 'a group without tests'

# tap.sh: clean-up, and the ordinary user.
cat >"$tmp/one.sh" <<'SH'
. "$SBX_ROOT/tests/lib/tap.sh"
sleep 600 &
reap $!
leave() { echo "left $1$(test -e "$tmp" && echo ' before the folder')"; }
first() { leave first; }
second() { leave second; }
at_exit first
at_exit second
echo "pid=$! tmp=$tmp"
ok one true
done_testing
SH
run sh "$tmp/one.sh"
pid=$(printf '%s\n' "$out" | sed -n 's/^pid=\([0-9]*\) .*/\1/p')
dir=$(printf '%s\n' "$out" | sed -n 's/.* tmp=//p')
isnt "$pid" '' 'a test with a background process ran'
ok 'its process is gone' sh -c '! kill -0 "$1" 2>/dev/null' sh "$pid"
ok 'its folder is gone' test ! -e "$dir"
is "$(printf '%s\n' "$out" | grep '^left' | tr '\n' ';')" \
	'left second before the folder;left first before the folder;' 'at_exit, last in first out'
printf '%s; ok one false; done_testing\n' "$tap" >"$tmp/two.sh"
run sh "$tmp/two.sh"
is "$rc" 1 'a script with a failure exits with 1'
isnt "$(as_user id -u)" 0 'as_user is no root'
# Group 4 is adm, which reads logs: root may well have it.
printf '%s; as_user id -G; as_user id -g; pass x; done_testing\n' "$tap" >"$tmp/three.sh"
if tap_is_root; then
	run setpriv --groups=4 sh "$tmp/three.sh"
else
	run sh "$tmp/three.sh"
fi
is "$(printf '%s\n' "$out" | sed -n 1p)" "$(printf '%s\n' "$out" | sed -n 2p)" \
	'as_user has no supplementary group'
is "$(SECRET=1 as_user sh -c 'echo "$SECRET"')" '' 'as_user starts from a clean environment'
ok 'as_user can write its HOME' as_user sh -c ': >"$HOME/x"'
is "$(as_user sh -c 'exit 7'; echo $?)" 7 'as_user gives the exit status on'

# tap.h keeps the same promises.
need gcc gcc
# c_test NAME BODY WANT: exit status and lines of a C test program.
c_test() {
	printf '#include "tap.h"\nint main(void)\n{\n%s\n}\n' "$2" >"$tmp/c.c"
	gcc -Wall -Wextra -Werror -I"$SBX_ROOT/tests/lib" -o "$tmp/c" "$tmp/c.c" || bail 'tap.h'
	run env SBX_MUST_RUN="${must:-0}" "$tmp/c"
	is "$rc:$(printf '%s' "$out" | tr '\n' ';')" "$3" "tap.h: $1"
}
c_test 'a pass' 'ok(1, "one"); return done_testing();' '0:ok 1 - one;1..1'
c_test 'a failure' 'is_int(1, 2, "one"); return done_testing();' '1:not ok 1 - one;1..1'
c_test 'strings' 'is_str("a", "b", "one"); return done_testing();' '1:not ok 1 - one;1..1'
c_test 'no string' 'is_str(NULL, "b", "one"); return done_testing();' '1:not ok 1 - one;1..1'
c_test 'bytes' 'is_mem("ab", "ac", 2, "one"); return done_testing();' '1:not ok 1 - one;1..1'
c_test 'nothing asserted' 'return done_testing();' \
	'1:not ok 1 - a test program must assert something;1..1'
c_test 'a skip' 'skip("why"); return done_testing();' '0:ok 1 # SKIP why;1..1'
c_test 'all skipped' 'skip_all("why");' '0:1..0 # SKIP why'
must=1
c_test 'a forbidden skip' 'skip("why"); return done_testing();' \
	'1:not ok 1 - must run, but was skipped: why;1..1'
must=0
c_test 'BAIL' 'BAIL("x%d", 1);' "255:Bail out! x1 ($tmp/c.c:4)"
done_testing
