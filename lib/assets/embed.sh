#!/bin/sh
# embed.sh FILE...: print a C source that holds each file as an array, and the table of all of them.
# od and sed only, so that it runs wherever the build does, and the bytes depend on the files alone.
# Not `ld -b binary` (executable stack, not fit for PIE), not .incbin (no dependency tracking).
set -eu
export LC_ALL=C

printf '#include "lib/assets/assets.h"\n\n'
i=0
for file; do
	printf 'static const unsigned char data_%d[] = {\n' "$i"
	od -An -v -tu1 -- "$file" | sed 's/  */,/g; s/^,/\t/; s/$/,/'
	# A closing 0 that size_bytes does not count: text assets can be used as strings.
	printf '\t0\n};\n\n'
	i=$((i + 1))
done
printf 'const struct asset asset_table[] = {\n'
i=0
for file; do
	printf '\t{"%s", data_%d, sizeof(data_%d) - 1},\n' "$(basename -- "$file")" "$i" "$i"
	i=$((i + 1))
done
printf '\t{0, 0, 0}\n};\n'
