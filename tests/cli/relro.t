#!/bin/sh
# What the linker marked as "read-only after relocation" is read-only in the running program: in a
# static one nobody but the program itself sees to that.
. "$SBX_ROOT/tests/cli/lib/cli.sh"

need readelf binutils
need_python

# The rights of the page that holds the middle of PT_GNU_RELRO, in process $1.
cat >"$tmp/rights.py" <<'PY'
import os, subprocess, sys
pid = sys.argv[1]
exe = os.readlink(f'/proc/{pid}/exe')
text = subprocess.run(['readelf', '-W', '-l', exe], capture_output=True, text=True, check=True).stdout
relro = next(line.split() for line in text.splitlines() if 'GNU_RELRO' in line)
middle = int(relro[2], 16) + int(relro[5], 16) // 2
maps = [line.split() for line in open(f'/proc/{pid}/maps')]
base = next(int(m[0].split('-')[0], 16) for m in maps if m[-1] == exe)
for m in maps:
    start, end = (int(x, 16) for x in m[0].split('-'))
    if start <= base + middle < end:
        print(m[1])
PY

backend=native
begin -- sh -c 'echo started; exec sleep 60'
within 20 grep -q started "$tmp/.bg.out" || bail 'the command was not started'
is "$("$py" -I -S "$tmp/rights.py" "$pid")" r--p 'the pointers of the runner are read-only'
guardian=$(pgrep -P "$pid" | head -n 1)
is "$("$py" -I -S "$tmp/rights.py" "$guardian")" r--p 'those of the guardian as well'
kill -TERM "$pid"
end
is "$rc" 143 'and it ends as usual'
done_testing
