#!/bin/sh
# The SBOM of `make dist`: it keeps to the specification and says what sources.lock and the files say;
# and the checker that says so finds faults of every kind.
. "$SBX_ROOT/tests/lib/tap.sh"

dist=${SBX_BUILDS:-$SBX_ROOT/build}/dist
checker=$SBX_ROOT/tests/dist/lib/sbom.py
lock=$SBX_ROOT/vendor/sources.lock
py=/usr/bin/python3
[ -x "$py" ] || need python3 python3
set -- "$dist"/*.cdx.json
[ -f "$1" ] || skip_all 'there is no build/dist (make dist)'
sbom=$1

run "$py" -I -S "$checker" "$sbom" "$lock" "$dist"
is "$rc:$out$err" 0: 'it keeps to the form and tells the truth'
for word in musl bearssl cjson linux-libc-dev libgcc; do
	ok "it names $word" grep -q "\"name\": \"$word\"" "$sbom"
done
for arch in x86_64 aarch64 armv7 riscv64; do
	ok "it names the program for $arch" grep -q "\"name\": \"sbx-linux-$arch\"" "$sbom"
done
unlike "$(cat "$sbom")" "$SBX_ROOT|/tmp|timestamp" 'nothing of this machine or of the time is in it'

# fault PATTERN NAME SCRIPT: after this change by sed the checker finds this fault.
fault() {
	sed -E "$3" "$sbom" >"$tmp/fault.json"
	ok "$2: something was changed" sh -c '! cmp -s "$1" "$2"' sh "$sbom" "$tmp/fault.json"
	run "$py" -I -S "$checker" "$tmp/fault.json" "$lock" "$dist"
	is "$rc" 1 "$2: refused"
	like "$out" "$1" "$2: and named"
}

fault '^document: ' 'no JSON' '1s/\{/[/'
fault 'bomFormat: is not' 'another format' 's/"CycloneDX"/"Cyclone"/'
fault 'specVersion: is not' 'another version of the form' 's/"1\.5"/"1.1"/'
fault 'lacks specVersion' 'a missing field' '/specVersion/d'
fault 'lacks name' 'a component without a name' '/"name": "musl"/d'
fault 'lacks type' 'a component without a type' '0,/"type": "library",/s///'
fault 'unknown key nmae' 'a field that the form does not have' 's/"name": "cjson"/"nmae": "cjson"/'
fault 'unknown type' 'a type that the form does not have' 's/"type": "library"/"type": "lib"/'
fault 'unknown scope' 'a scope that the form does not have' 's/"excluded"/"build"/'
fault 'unknown algorithm' 'an unknown checksum' '0,/SHA-256/s//CRC32/'
fault 'is not of the form' 'a checksum that is too short' '0,/("content": ")../s//\1/'
fault 'no SPDX identifier' 'a licence that is none' '0,/"MIT"/s//"MTI"/'
fault 'no SPDX expression' 'an exception that is none' 's/Linux-syscall-note/Linux-note/'
fault 'bom-ref is another' 'one reference for two' 's/"bom-ref": "cjson"/"bom-ref": "musl"/'
fault 'nothing has the bom-ref' 'a dependency on nothing' 's/"dependsOn": \[ "musl"/"dependsOn": [ "muls"/'
fault 'no purl' 'a purl that is none' 's|pkg:deb/debian/musl|deb/musl|'
fault 'serialNumber: is not' 'a serial number that is none' 's/urn:uuid:./urn:uuid:x/'
fault 'truth: musl: has another purl' 'the purl of something else' 's|debian/musl@|debian/glibc@|'
fault 'truth: cjson: is cjson 1.7.99' 'another version of a source' 's/"version": "1\.7\.[^"]*"/"version": "1.7.99"/'
fault 'truth: cjson: has another licence' 'another licence of a source' \
	'/"name": "cjson"/,/"purl"/s/"id": "MIT"/"id": "GPL-2.0-only"/'
fault 'truth: musl: has not the pinned checksum' 'another checksum of a source' \
	'/"name": "musl"/,/"purl"/s/("content": ").{8}/\100000000/'
fault 'truth: musl: has not the other pinned' 'other patches' 's/("sbx:patches-sha256", "value": ").{8}/\100000000/'
fault 'truth: sbx-linux-armv7 has another' 'another checksum of a program' \
	'/"name": "sbx-linux-armv7"/,/\}/s/("content": ").{8}/\100000000/'
fault 'truth: what is required' 'a part of the program that is out of scope' \
	'/"bom-ref": "musl"/,/"scope"/s/required/excluded/'
done_testing
