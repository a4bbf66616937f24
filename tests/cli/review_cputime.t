#!/bin/sh
# --cpu-time counts what processes took that nobody waited for: a parent that ignores SIGCHLD has no
# children to account for (wait(2)), and each of them is gone before it is looked at.
. "$SBX_ROOT/tests/cli/lib/cli.sh"
need_python

# 8 children of a quarter of a second each.
spend='$SIG{CHLD} = "IGNORE";
for my $i (1 .. 8) {
	defined(my $pid = fork) or die;
	if (!$pid) { 1 while (times)[0] + (times)[1] < 0.25; exit 0; }
	1 while waitpid($pid, 0) > 0;
}
print "all\n";'

# All backends at once: they cost time.
begin_one() {
	as "$who" "$sbx" -b "$backend" --cpu-time 1s -t 20 --result "res-$backend" -- \
		perl -e "$spend" >"out-$backend" 2>&1 &
	jobs="$jobs $!"
	reap $!
}

judge() {
	seen=$(RESULT=res-$backend field reason)
	is "$seen:$(cat "out-$backend")" cpu_timeout: "$at: children that nobody waits for count"
	rm -f "res-$backend" "out-$backend"
}

# Where a control group can be made: --memory is kept by nothing else (but by native).
for who in $callers; do
	cd "$tmp/p-$who" || bail 'no project folder'
	backend=namespace
	if ! usable "$who" namespace; then
		backend=landlock
	fi
	sandbox --memory 1g -- true
	if [ "$rc" != 0 ]; then
		# an ordinary user has no group unless one was delegated to him
		[ "$who" = user ] || skip "$who: no control group can be made here"
		continue
	fi
	jobs=''
	me=$who
	callers=$me each_run begin_one
	for job in $jobs; do
		wait "$job"
	done
	callers=$me each_run judge
done
backend=native
sandbox -t 20 -- perl -e "$spend"
is "$rc:$out" 0:all 'control: without a limit all of it runs'
done_testing
