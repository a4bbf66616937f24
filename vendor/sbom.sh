#!/bin/sh
# sbom.sh VERSION "CONTAINED..." FILE...: print what the files (sbx-linux-ARCH) were made of, as a
# CycloneDX 1.5 document in JSON: the project, the pinned sources with their versions, licences and
# checksums from sources.lock, and the compiler's own library, by the version that it wrote into them.
# The same files give the same bytes: no time, and a serial number made from their checksums.
# Must not know of a source that sources.lock does not name.
set -eu
export LC_ALL=C

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
version=$1
contained=$2
shift 2

die() {
	printf 'vendor/sbom.sh: %s\n' "$*" >&2
	exit 1
}

# json TEXT: as a string; nothing that goes in needs escaping, or it is a mistake.
json() {
	case $1 in
	*[!A-Za-z0-9\ ._:/@+~%?=\&-]* | '') die "not fit for the document: \"$1\"" ;;
	esac
	printf '"%s"' "$1"
}

# field NAME VALUE, the last one of an object with `last`.
field() {
	printf '%s: %s,\n' "$(json "$1")" "$(json "$2")"
}

sha256_of() {
	sha256sum -- "$1" | cut -d' ' -f1
}

hashes() {
	printf '"hashes": [ { "alg": "SHA-256", "content": %s } ]' "$(json "$1")"
}

# licence SPDX: sources.lock has its words joined by '_'.
licence() {
	licence_text=$(printf '%s' "$1" | tr _ ' ')
	case $licence_text in
	*' '*) printf '"licenses": [ { "expression": %s } ]' "$(json "$licence_text")" ;;
	*) printf '"licenses": [ { "license": { "id": %s } } ]' "$(json "$licence_text")" ;;
	esac
}

# is_contained NAME
is_contained() {
	case " $contained " in
	*" $1 "*) return 0 ;;
	*) return 1 ;;
	esac
}

# put_source NAME VERSION SUITE PACKAGE SHA256 UPSTREAM PATCHES LICENCE: one line of sources.lock. What
# only the build uses (kernel headers) or what is not linked yet is out of scope, and says so.
put_source() {
	scope=excluded
	! is_contained "$1" || scope=required
	kind=source
	[ "$1" != headers ] || kind=all
	printf '{\n"type": "library",\n'
	field bom-ref "$1"
	field name "$4"
	field version "$2"
	field scope "$scope"
	printf '%s,\n%s,\n' "$(hashes "$5")" "$(licence "$8")"
	# purl: '+' is written as %2B
	printf '"purl": %s' "$(json "pkg:deb/debian/$4@$(printf '%s' "$2" | sed 's/+/%2B/g')?arch=$kind&distro=$3")"
	set -- "sbx:upstream-sha256=$6" "sbx:patches-sha256=$7"
	properties=''
	for property; do
		[ "${property#*=}" = - ] || properties="$properties${properties:+, }{ \"name\": $(json \
			"${property%%=*}"), \"value\": $(json "${property#*=}") }"
	done
	[ -z "$properties" ] || printf ',\n"properties": [ %s ]' "$properties"
	printf '\n}'
}

# The version that the compiler left in FILE: its start-up code and library are part of it.
gcc_of() {
	readelf -p .comment "$1" | sed -n 's/.*GCC: .* \([0-9][0-9.]*\)$/\1/p' | sort -u
}

put_libgcc() {
	printf '{\n"type": "library",\n'
	field bom-ref "libgcc-$1"
	field name libgcc
	field version "$1"
	field scope required
	printf '%s,\n' "$(licence GPL-3.0-or-later_WITH_GCC-exception-3.1)"
	printf '"purl": %s\n}' "$(json "pkg:generic/libgcc@$1")"
}

put_file() {
	printf '{\n"type": "file",\n'
	field bom-ref "$(basename -- "$1")"
	field name "$(basename -- "$1")"
	field version "$version"
	printf '%s\n}' "$(hashes "$(sha256_of "$1")")"
}

# list SEPARATED...: JSON strings with commas.
list() {
	list_comma=''
	for list_word; do
		printf '%s%s' "$list_comma" "$(json "$list_word")"
		list_comma=', '
	done
}

# A UUID of our own making (RFC 9562, version 8).
serial=$(cat -- "$@" | sha256sum | sed -E \
	's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/urn:uuid:\1-\2-8\3-a\4-\5/')
compilers=$(for file; do gcc_of "$file"; done | sort -u)
[ -n "$compilers" ] || die 'the files do not say which compiler made them'
linked=''
for compiler in $compilers; do
	linked="$linked libgcc-$compiler"
done

printf '{\n"bomFormat": "CycloneDX",\n"specVersion": "1.5",\n'
field serialNumber "$serial"
printf '"version": 1,\n"metadata": {\n"component": {\n"type": "application",\n'
field bom-ref sbx
field name sbx
field version "$version"
printf '%s,\n' "$(licence MIT)"
field purl "pkg:generic/sbx@$version"
printf '"components": [\n'
comma=''
for file; do
	printf '%s' "$comma"
	put_file "$file"
	comma=',
'
done
printf '\n]\n}\n},\n"components": [\n'
comma=''
while read -r line; do
	# shellcheck disable=SC2086 # the columns are words
	set -- $line
	printf '%s' "$comma"
	put_source "$@"
	comma=',
'
done <<EOF
$(grep '^[a-z]' "$here/sources.lock")
EOF
for compiler in $compilers; do
	printf ',\n'
	put_libgcc "$compiler"
done
# shellcheck disable=SC2086 # words
printf '\n],\n"dependencies": [\n{ "ref": "sbx", "dependsOn": [ %s ] }\n]\n}\n' "$(list $contained $linked)"
