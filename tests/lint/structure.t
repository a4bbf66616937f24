#!/bin/sh
# Each structure lint passes over a clean tree and names what is wrong in a bad one.
. "$SBX_ROOT/tests/lib/tap.sh"

lints=$SBX_ROOT/tests/lint

# put FILE TEXT: a file of the small tree, with the opening comment that every source has.
put() {
	mkdir -p "$tmp/tree/$(dirname "$1")"
	printf '/* A file of a test. */\n%b\n' "$2" >"$tmp/tree/$1"
}

# clean_tree: a tree in which no lint finds anything.
clean_tree() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/vendor" "$tmp/tree/tests/lib" "$tmp/tree/.ci"
	printf 'all:\n' >"$tmp/tree/Makefile"
	put lib/base/a.h '#ifndef A_H\n#define A_H\nint base_get(void);\n#endif'
	put lib/base/a.c '#include "a.h"\n/* strcpy(a) */\nint base_get(void) { return 1; }'
	put lib/json/j.c '#include <cJSON.h>\n#include "../base/a.h"\nconst char *s = "exit(1)";'
	put applets/main.c '#include "lib/base/a.h"\nint main(void) { return printf("x"); }'
}

# finds LINT PATTERN NAME: the lint fails and says so.
finds() {
	run "$lints/$1.sh" "$tmp/tree"
	[ "$rc" != 0 ] || out="(nothing found) $out"
	like "$out" "$2" "$1: $3"
}

# Top level: nothing that was left there by chance.
if [ -e "$SBX_ROOT/.git" ] && command -v git >/dev/null 2>&1; then
	top=$(git -c safe.directory='*' -C "$SBX_ROOT" ls-files | cut -d / -f 1 | sort -u)
else
	top=$(cd "$SBX_ROOT" && find . -path './*' -prune ! -name build | sed 's|^\./||')
fi
is "$(printf '%s\n' "$top" | LC_ALL=C sort | tr '\n' ' ')" \
	'.ci .gitignore LICENSE Makefile README.md applets lib tests vendor ' 'what lies at the top'

clean_tree
for lint in floors banned text; do
	run "$lints/$lint.sh" "$tmp/tree"
	is "$rc:$out$err" 0: "$lint: nothing to say about a clean tree"
done
run "$lints/headers.sh" "$tmp/tree"
is "$rc:$out$err" 0: "headers: nothing to say about a clean tree"

put lib/base/up.c '#include "../json/j.h"'
put lib/json/j.h ''
finds floors '^lib/base/up.c:2: .*floor 0.*floor 1' 'an include of a higher floor'
clean_tree
put lib/sys/s.h ''
put lib/json/side.c '#include "../sys/s.h"'
finds floors '^lib/json/side.c:2: .*floor 1.*floor 1' 'an include of a neighbour on the same floor'
clean_tree
put lib/sys/s.c '#  include <cJSON.h>'
finds floors '^lib/sys/s.c:2: only lib/json' 'cJSON outside lib/json'
clean_tree
put lib/policy/p.c '#include <bearssl_ssl.h>'
finds floors '^lib/policy/p.c:2: only lib/net' 'BearSSL outside lib/net'
clean_tree
put lib/other/o.c '#include "../base/a.h"'
finds floors '^lib/other/o.c:2: no floor is known' 'a folder that has no floor'
clean_tree
put lib/base/lost.c '#include "gone.h"'
finds floors '^lib/base/lost.c:2: .*not in the tree' 'an include of nothing'

for call in 'strcpy(a, b)' 'strcat (a, b)' 'sprintf(a, b)' 'atoi(a)' 'strtok(a, b)' 'system(a)' \
	'popen(a, b)' 'alloca(3)'; do
	clean_tree
	put applets/bad.c "int x = $call;"
	finds banned '^applets/bad.c:2: banned function' "$call"
done
clean_tree
put lib/policy/p.c 'void f(void) { exit(1); }'
finds banned '^lib/policy/p.c:2: only main prints and exits' 'exit in lib/'
put lib/policy/p.c 'void f(void)\n{\n\tprintf("x");\n}'
finds banned '^lib/policy/p.c:4: only main prints and exits' 'printing in lib/'
put lib/policy/p.c 'int f(void) { return fork(); }'
finds banned '^lib/policy/p.c:2: only lib/sys makes processes' 'fork outside lib/sys'

clean_tree
put lib/base/wide.c "$(printf '%0101d' 0)"
finds text '^lib/base/wide.c:2: 101 columns' 'a line of 101 columns'
clean_tree
put lib/base/tabs.c "$(printf '\\t%093d' 0)"
finds text '^lib/base/tabs.c:2: 101 columns' 'a tab counts as eight'
clean_tree
put lib/base/blank.c 'int x; '
finds text '^lib/base/blank.c:2: blank at the end' 'a blank at the end of a line'
clean_tree
put lib/base/late.c "/* $(printf 'TO%s' DO): later */"
finds text '^lib/base/late.c:2: mark of unfinished work' 'unfinished work'
clean_tree
printf 'int x;\n' >"$tmp/tree/lib/base/bare.c"
finds text '^lib/base/bare.c:1: opens without a comment' 'a file without its comment'
clean_tree
printf 'u=%s://host.example/\n' https >"$tmp/tree/vendor/x.sh"
finds text '^vendor/x.sh:1: names a host' 'a host name in the build'

clean_tree
put lib/base/lazy.h 'size_t lazy(void);'
finds headers '^lib/base/lazy.h: does not compile alone' 'a header that needs another one'
clean_tree
put lib/base/twice.h 'struct twice { int x; };'
finds headers '^lib/base/twice.h: does not compile alone' 'a header without a guard'

done_testing
