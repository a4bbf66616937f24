#!/bin/sh
# Attacks on the runner: 8 (its own binary), 24, 28, 81-84, 89.
. "${SBX_ROOT:-$(dirname -- "$0")/../..}/tests/escape/lib.sh"

backends='namespace landlock bubblewrap native'

# in_time LIMIT_MS NAME
in_time() {
	ok "$label: $2 in time ($elapsed_ms ms)" test "$elapsed_ms" -lt "$1"
}

# --- 81: the environment ---------------------------------------------------------------------

# One canary a rule; every name or value here must be kept from the command.
injection='LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH GCONV_PATH GLIBC_TUNABLES HOSTALIASES RES_OPTIONS
	MALLOC_CONF BASH_ENV ENV SHELLOPTS PS4 PROMPT_COMMAND CDPATH ZDOTDIR PYTHONPATH
	PYTHONSTARTUP PYTHONHOME NODE_OPTIONS npm_config_prefix PERL5LIB PERL5OPT RUBYOPT
	JAVA_TOOL_OPTIONS CLASSPATH
	LUA_INIT PHPRC GOFLAGS RUSTC_WRAPPER DOTNET_STARTUP_HOOKS GIT_SSH_COMMAND GIT_CONFIG_COUNT
	EDITOR PAGER LESSOPEN MANPAGER BROWSER SSH_ASKPASS TERMINFO OPENSSL_CONF GTK_MODULES
	KRB5_CONFIG'
handles='SSH_AUTH_SOCK GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR DISPLAY
	WAYLAND_DISPLAY XAUTHORITY TMUX DOCKER_HOST CONTAINER_HOST KUBECONFIG NOTIFY_SOCKET
	LISTEN_FDS MAKEFLAGS'
secrets='AWS_SECRET_ACCESS_KEY FOO_TOKEN MY_API_KEY DB_PASSWORD SOME_SECRET OPENAI_API_KEY
	GITHUB_TOKEN SESSION_COOKIE SIGNING_SALT REDIS_URL PGPASSWORD HF_TOKEN VAULT_ADDR
	SENTRY_DSN'

write_environment() {
	upper_canary=$(echo "$canary" | tr '[:lower:]' '[:upper:]' | cut -c 1-16)
	for name in $injection $handles $secrets; do
		printf '%s\0' "$name=$canary"
	done
	printf '%s\0' "BASH_FUNC_x%%=() { echo $canary; }" \
		"innocent_function=() { :; }; echo $canary" \
		"DATABASE_URL=postgres://u:$canary@h/db" "innocent_url=https://u:$canary@h/" \
		"innocent_pem=-----BEGIN PRIVATE KEY-----
$canary
-----END PRIVATE KEY-----" \
		"innocent_github=ghp_$canary" "innocent_aws=AKIA$upper_canary" \
		"innocent_openai=sk-$canary$canary" "innocent_jwt=eyJhbGciOi.eyJ$canary.$canary" \
		"innocent_bearer=Bearer $canary" "https_proxy=http://u:$canary@proxy:3128/" \
		"MONKEY=kept-monkey" "KEYBOARD=kept-keyboard" \
		"TOKENIZERS_PARALLELISM=kept-tokenizers" "AUTHOR=kept-author" "LC_ALL=C"
}

# with_environment WORLD COMMAND...: with exactly the prepared environment, whatever its names are.
with_environment() {
	environment_as=''
	[ "$1" != user ] ||
		environment_as="setpriv --reuid=$tap_user --regid=$tap_user --clear-groups"
	shift
	# shellcheck disable=SC2016,SC2086 # perl's variables; words without blanks
	$environment_as perl -0 -e '
		open(my $list, "<", shift @ARGV) or die "environment: $!\n";
		my @words = <$list>;
		chomp @words;
		%ENV = map { /^(.*?)=(.*)$/s ? ($1 => $2) : () } @words;
		exec { $ARGV[0] } @ARGV or die "exec: $!\n";' "$work/environment" "$@"
}

kept='kept-monkey kept-keyboard kept-tokenizers kept-author'

check_environment() {
	label="$2 as $1"
	with_environment "$1" "$sbx_run" -b "$2" --root "$work/project" --result "$result" \
		--env-report -- /usr/bin/env -0 </dev/null >"$lines" 2>"$work/out/stderr"
	is "$(tr '\0' '\n' <"$lines" | grep "$canary")" '' "$label: 81 no canary comes in"
	unlike "$(cat "$result" "$work/out/stderr")" "$canary" "$label: 81 nor into the report"
	dropped=$(result_field env_dropped)
	untold=''
	for name in $injection $handles $secrets DATABASE_URL innocent_pem innocent_jwt; do
		case $dropped in
		*"\"$name\""*) ;;
		*) untold="$untold $name" ;;
		esac
	done
	is "$untold" '' "$label: 81 each dropped name is told"
	# shellcheck disable=SC2086 # words
	unwanted=$(echo $injection $handles $secrets | tr ' ' '|')
	is "$(tr '\0' '\n' <"$lines" | grep -E "^($unwanted)=")" '' "$label: 81 and none is there"
	for name in $kept; do
		like "$(tr '\0' '\n' <"$lines")" "=$name\$" "$label: 81 $name survives"
	done
	like "$(tr '\0' '\n' <"$lines")" '^https_proxy=http://proxy:3128/' \
		"$label: 81 a proxy loses its password"

	# The real thing: a shell that would run the canary's file, a loader that would write one.
	printf 'echo injected >%s\n' "$work/out/injected" >"$work/evil.sh"
	with_evil "$1" "$sbx_run" -b "$2" --root "$work/project" --rw "$work/out" -- /bin/bash -c : \
		>/dev/null 2>&1
	is "$(injected)" '' "$label: 81 neither runner nor command is injected"
}

injected() {
	find "$work/out" -name injected -o -name 'loader*'
}

# with_evil WORLD COMMAND...: LD_DEBUG_OUTPUT makes the dynamic loader write a file (ld.so(8)).
with_evil() {
	evil_world=$1
	shift
	# shellcheck disable=SC2016
	world_run "$evil_world" sh -c 'export BASH_ENV="$1" LD_DEBUG=libs LD_DEBUG_OUTPUT="$2"
		shift 2; exec "$@"' sh "$work/evil.sh" "$work/out/loader" "$@"
}

build_folders root
write_environment >"$work/environment"
chmod 0644 "$work/environment"
with_environment root /usr/bin/env -0 >"$lines"
ok 'control: 81 every canary reaches an unprotected command' test \
	"$(tr '\0' '\n' <"$lines" | grep -c "$canary")" -ge 70
printf 'echo injected >%s\n' "$work/out/injected" >"$work/evil.sh"
with_evil root /bin/bash -c : >/dev/null 2>&1
is "$(injected | wc -l)" 2 'control: 81 BASH_ENV and LD_DEBUG_OUTPUT are obeyed'
for world in root user; do
	build_folders "$(owner_of "$world")"
	for backend in $backends; do
		check_environment "$world" "$backend"
	done
done

# --- 8: the runner as its own command --------------------------------------------------------

# CVE-2019-5736: a command that is the runner itself, and somebody who waits for it to end.
ln -s /proc/self/exe "$work/project/self"
printf '#!/proc/self/exe\n' >"$work/project/script"
chmod 0755 "$work/project/script"
for backend in $backends; do
	for command in /proc/self/exe "$work/project/self" "$work/project/script"; do
		sbx root "$backend" -t 10 -- "$command" --version
		sbx root "$backend" -t 10 -- /bin/sh -c \
			'"$1" --version & for i in 1 2 3 4 5 6 7 8; do for p in /proc/[0-9]*/exe; do
			: >>"$p"; done; done; :' sh "$command"
	done 2>/dev/null
	assert_host "$backend as root: 8"
done

# --- 24 and 28: nobody leaves, and nobody stays ----------------------------------------------

"$attack" escape-daemon leave=yes
sleep 0.2
like "$(leftovers)" escape-daemon 'control: 24 the daemons outlive their parent'
kill_leftovers

outlive() {
	sbx "$1" "$2" -t 500ms --kill-grace 300ms -- "$work/project/attack" escape-daemon
	is "$rc/$(result_field reason)/$(result_field timed_out)" 124/wall_timeout/true \
		"$label: 24 the reason is wall_timeout"
	in_time 2500 24
	assert_host "$label: 24"
	sbx "$1" "$2" -t 20 -- "$work/project/attack" escape-daemon leave=yes
	is "$rc/$(result_field reason)" 0/exit "$label: 24 the command's own end"
	in_time 3000 '24 without a timeout'
	assert_host "$label: 24 after a normal end"
	stubborn='ignore stop-tree'
	[ "$1" != root ] || stubborn='ignore stop stop-tree vfork block'
	for how in $stubborn; do
		sbx "$1" "$2" -t 200ms --kill-grace 200ms -- "$work/project/attack" stubborn "how=$how"
		is "$rc/$(result_field reason)" 124/wall_timeout "$label: 28 $how is ended"
		in_time 2000 "28 $how"
	done
	assert_host "$label: 28"
}

# --- 82: output ------------------------------------------------------------------------------

# is_json LABEL FILE PERL-EXPRESSION: about the result $r.
is_json() {
	perl -MJSON::PP -e '
		local $/; open(my $file, "<", $ARGV[0]) or die; my $r = decode_json(<$file>);
		my $holds = eval $ARGV[1]; print STDERR "# $@" if $@;
		exit($holds ? 0 : 1);' "$2" "$3"
	tap_result $? "$1" || diag "$3: $(cut -c 1-600 "$2")"
}

# capture WORLD BACKEND [OPTION...] -- COMMAND...: into $work/out/json
capture() {
	capture_world=$1
	capture_backend=$2
	shift 2
	begin_ms=$(date +%s%3N)
	world_run "$capture_world" "$sbx_run" -b "$capture_backend" --root "$work/project" --json \
		"$@" >"$work/out/json" 2>"$work/out/stderr"
	rc=$?
	elapsed_ms=$(($(date +%s%3N) - begin_ms))
	label="$capture_backend as $capture_world"
}

output_floods() {
	json=$work/out/json
	bytes=67108864
	[ "$2" != namespace ] || bytes=1073741824
	capture "$1" "$2" -t 60 -- "$work/project/attack" spew "bytes=$bytes" status=3 tail=the-end
	is_json "$label: 82 a flood, then status 3" "$json" \
		"\$r->{exit_code} == 3 && \$r->{output_truncated} && \$r->{reason} eq 'exit' &&
		\$r->{stdout_bytes} == $bytes + 7 &&
		\$r->{stdout} =~ /\\Ayyy.*the-end\\z/s && length(\$r->{stdout}) <= 1048576 &&
		\$r->{stdout_omitted}{bytes} + length(\$r->{stdout}) == $bytes + 7"
	capture "$1" "$2" -t 1 --kill-grace 300ms -- /usr/bin/yes
	is_json "$label: 82 endless output ends with the timeout" "$json" \
		'$r->{timed_out} && $r->{output_truncated} && $r->{reason} eq "wall_timeout"'
	in_time 4000 '82 endless output'
	capture "$1" "$2" -o 64k -- "$work/project/attack" spew bytes=65536 status=4
	is_json "$label: 82 exactly the cap is not truncated" "$json" '$r->{exit_code} == 4 &&
		!$r->{output_truncated} && length($r->{stdout}) == 65536 &&
		$r->{stdout_bytes} == 65536'
	capture "$1" "$2" -o 64k -- "$work/project/attack" spew bytes=65537 status=5
	is_json "$label: 82 one byte more is" "$json" '$r->{exit_code} == 5 &&
		$r->{output_truncated} && $r->{stdout_bytes} == 65537 &&
		$r->{stdout_omitted}{bytes} >= 1'
	capture "$1" "$2" -o 64k -- "$work/project/attack" spew bytes=2097152 status=6 to=2 \
		tail=error-end
	is_json "$label: 82 only stderr" "$json" '$r->{exit_code} == 6 && $r->{output_truncated} &&
		$r->{stdout} eq "" && $r->{stderr_bytes} == 2097152 + 9 &&
		$r->{stderr} =~ /error-end\z/'
	capture "$1" "$2" -- "$work/project/attack" close-stdout
	is_json "$label: 82 stdout closed early" "$json" \
		'$r->{exit_code} == 7 && $r->{stdout} eq "before" && $r->{stderr} eq "after"'
	for lead in 0 1; do
		capture "$1" "$2" -o 1001 -- "$work/project/attack" half-char "lead=$lead" count=2000
		is_json "$label: 82 no half character (lead $lead)" "$json" '
			$r->{output_truncated} && ($r->{stdout_encoding} // "") ne "base64" &&
			$r->{stdout} =~ /\Aa?\x{e9}+\z/'
	done
	capture "$1" "$2" -- /usr/bin/printf '\377\376\000x'
	is_json "$label: 82 bytes that are no text" "$json" \
		'$r->{stdout_encoding} eq "base64" && $r->{stdout} eq "//4AeA=="'
}

# --- 83: who holds the pipe ------------------------------------------------------------------

# shellcheck disable=SC2016 # the inner shell's
holders() {
	for holder in 'sleep 1000 & echo hi; exit 0' 'setsid sleep 1000 >&2 & echo hi; exit 0' \
		'sleep 1000 >/dev/null & echo hi; exit 0' \
		'(setsid sh -c "sleep 1000; :" &) ; echo hi'; do
		capture "$1" "$2" -t 20 -- /bin/sh -c "$holder"
		is_json "$label: 83 $holder" "$work/out/json" \
			'$r->{exit_code} == 0 && $r->{stdout} eq "hi\n" && $r->{reason} eq "exit"'
		in_time 2000 '83 the return'
	done
	capture "$1" "$2" -t 20 -- "$work/project/attack" hold "root=$work/project"
	is_json "$label: 83 the descriptor is held in a socket" "$work/out/json" \
		'$r->{stdout} eq "hi\n"'
	in_time 2000 '83 the return'
	assert_host "$label: 83"
}

begin_ms=$(date +%s%3N)
timeout 2 sh -c '(sleep 1000 & echo hi; exit 0) | cat' >/dev/null 2>&1
is $? 124 'control: 83 a plain reader hangs as long as the holder lives'
kill_leftovers

# --- 84: the runner dies, or is told to -------------------------------------------------------

# start_runner WORLD BACKEND COMMAND...: in the background; $runner is its own pid.
start_runner() {
	runner_world=$1
	runner_backend=$2
	shift 2
	rm -f "$work/project/ready"
	# A shell starts its background jobs with SIGINT ignored.
	world_run "$runner_world" env --default-signal=INT,QUIT "$sbx_run" -b "$runner_backend" \
		--root "$work/project" "$@" \
		</dev/null >"$lines" 2>"$work/out/stderr" &
	runner_job=$!
	wait_for "$work/project/ready"
	runner=$(ps -e -o pid=,ppid=,args= | awk -v job="$runner_job" -v run="$sbx_run" '
		{ parent[$1] = $2; is_run[$1] = $3 == run }
		END {
			for (p in is_run)
				if (is_run[p] && (p == job || parent[p] == job)) print p
		}' | head -n 1)
}

runner_killed() {
	start_runner "$1" "$2" -- /bin/sh -c \
		'"$1" escape-daemon leave=yes; echo x >ready; sleep 1000' sh "$work/project/attack"
	ok "$2 as $1: 84 the runner was found" test -n "$runner"
	kill -KILL "${runner:-$runner_job}"
	wait "$runner_job" 2>/dev/null
	assert_host "$2 as $1: 84 SIGKILL to the runner"
	for name in TERM INT HUP; do
		start_runner "$1" "$2" -- /bin/sh -c \
			"trap 'exit 42' $name; echo x >ready; while :; do sleep 0.05; done"
		kill -"$name" "${runner:-$runner_job}"
		wait "$runner_job"
		is $? 42 "$2 as $1: 84 SIG$name is forwarded"
	done
	assert_host "$2 as $1: 84 signals"
}

# Never silently weaker: auto says what it could not give, --strict and --require refuse.
fallbacks() {
	for world in no-userns no-landlock; do
		sbx "$world" auto -- "$work/project/attack" where
		is "$rc" 0 "$label: 84 auto finds something"
		like "$(result_field layers)" '"applied":\["' "$label: 84 and tells the layers"
		like "$(result_field layers)" '"missing":\[\{' "$label: 84 what is missing is named"
		isnt "$(cat "$work/out/stderr")" '' "$label: 84 with a warning"
		sbx "$world" auto --strict -- "$work/project/attack" where
		is "$rc/$(cat "$lines")" 125/ "$label: 84 --strict refuses"
		isnt "$(result_field error_message)" '' "$label: 84 with a reason"
	done
	sbx no-userns auto --require pid_ns -- "$work/project/attack" where
	is "$rc/$(cat "$lines")" 125/ "$label: 84 --require pid_ns refuses"
	like "$(result_field error_message)" pid_ns "$label: 84 and names it"
	sbx no-userns landlock -- "$work/project/attack" where
	like "$(result_field layers)" pid_ns "$label: 69 no pid isolation, and the result says so"
	sbx user namespace --strict -- "$work/project/attack" where
	is "$rc" 0 "$label: 84 --strict is content with everything"
}

for world in root user; do
	build_folders "$(owner_of "$world")"
	for backend in $backends; do
		outlive "$world" "$backend"
		holders "$world" "$backend"
		runner_killed "$world" "$backend"
	done
done
build_folders "$tap_user"
for backend in $backends; do
	output_floods user "$backend"
done
fallbacks

# --- 89: many at once ------------------------------------------------------------------------

# one_of_many WORLD BACKEND NUMBER: long enough for all of them to be there together.
one_of_many() {
	world_run "$1" "$sbx_run" -b "$2" --root "$work/project" -- \
		/bin/sh -c 'echo "$1"; echo "$1" >&2; sleep 2; exit "$2"' sh "run-$3" \
		$(($3 % 100)) >"$work/out/many/$3" 2>&1
	echo "status $?" >>"$work/out/many/$3"
}

many_at_once() {
	build_folders "$(owner_of "$1")"
	rm -rf "$work/out/many"
	mkdir "$work/out/many"
	many=''
	for i in $(seq 200); do
		one_of_many "$1" "$2" "$i" &
		many="$many $!"
	done
	# shellcheck disable=SC2086 # a list of numbers
	wait $many
	wrong=''
	for i in $(seq 200); do
		[ "$(cat "$work/out/many/$i")" = "run-$i
run-$i
status $((i % 100))" ] || wrong="$wrong $i"
	done
	is "$wrong" '' "$2 as $1: 89 no cross-talk in 200 runs at once"
	assert_host "$2 as $1: 89"
}

many_at_once user namespace
many_at_once root landlock

done_testing
