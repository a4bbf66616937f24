# shellcheck shell=sh
# The portable build: the files that macOS gets, compiled for Linux, so that its loop, guardian and
# relays run at all. Source it instead of tap.sh; scripts NAME... runs tests/cli/run_NAME.t on it.

. "$SBX_ROOT/tests/lib/tap.sh"
[ -x "$SBX_BUILD-portable/sbx-run" ] || skip_all 'no portable build: make TARGET=portable'

scripts() {
	for name; do
		run env SBX_BUILD="$SBX_BUILD-portable" SBX_TARGET=portable \
			SBX_BACKENDS='native sandbox_exec' sh "$SBX_ROOT/tests/cli/run_$name.t"
		is "$rc" 0 "tests/cli/run_$name.t" ||
			diag "$(printf '%s\n' "$out" | grep '^not ok')
$err"
		# both backends were really tried
		like "$out" '^ok .*, sandbox_exec' "run_$name: with sandbox_exec"
		like "$out" '^ok .*, native' "run_$name: with native"
	done
}
