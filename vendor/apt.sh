# shellcheck shell=sh
# A private apt: packages of any suite and architecture of the Debian archive that this machine
# already uses, without root and without a trace in the system's own apt. The archive's signature
# is checked by apt. To be sourced; what it needs of the script: die(), out (a folder to keep lists
# in), scratch (a folder with get/ in it, where downloads land), suite, and by_hand (what else can
# be done without an archive) or "".

# one_line_archive: the same from the older format, `deb [options] URI suite component...`.
one_line_archive() {
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | tr -d '[]' |
		awk -v known="$suites" '$1 == "deb" {
			signed = trusted = ""
			for (i = 2; i <= NF && $i ~ /=/ && $i !~ /:\//; i++) {
				if ($i ~ /^signed-by=/) signed = "Signed-By: " substr($i, 11) "\n"
				if ($i ~ /^trusted=/) trusted = "Trusted: " substr($i, 9) "\n"
			}
			if ($i ~ /^cdrom:/ || !index(known, " " $(i + 1) " ")) next
			printf "URIs: %s\n%s%s", $i, signed, trusted
			exit
		}'
}

# debian_archive: print URIs, Signed-By (and Trusted) of the first enabled system source that is
# a Debian archive proper; security, updates and third-party sources are passed over.
debian_archive() {
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null | tr -d '"')
	suites=" ${codename:-sid} bullseye bookworm trixie forky sid"
	suites="$suites oldstable stable testing unstable "
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk -v known="$suites" '
		function flush(  i, n, w, good) {
			n = split(suite, w, /[ \t]+/)
			for (i = 1; i <= n; i++)
				if (w[i] != "" && index(known, " " w[i] " ")) good = 1
			if (good && types ~ /deb/ && comps ~ /main/ && !off && !found) {
				printf "%s", keep
				found = 1
			}
			suite = types = comps = keep = field = ""
			off = 0
		}
		/^[ \t]*$/ { flush(); next }
		/^#/ { next }
		/^[^ \t]/ {
			field = tolower($0); sub(/:.*/, "", field)
			value = $0; sub(/^[^:]*:[ \t]*/, "", value)
			if (field == "suites") suite = value
			if (field == "types") types = value
			if (field == "components") comps = value
			if (field == "enabled" && tolower(value) ~ /^(no|false|0)/) off = 1
		}
		/^[ \t]/ && field == "suites" { suite = suite " " $0 }
		field ~ /^(uris|signed-by|trusted)$/ { keep = keep $0 "\n" }
		END { flush() }' >"$scratch/archive"
	[ -s "$scratch/archive" ] || one_line_archive >"$scratch/archive"
	[ -s "$scratch/archive" ] ||
		die "no Debian archive in /etc/apt${by_hand:+: $by_hand}"
	cat "$scratch/archive"
}

# apt_setup TYPE [ARCH]: a private apt for one suite and one type of package (deb or deb-src), for
# another architecture of Debian's too. It knows of no installed package.
# apt.conf(5): a file given with -c is read last, so it can clear the system's update hooks.
apt_setup() {
	apt=$out/apt/$suite-$1${2:+-$2}
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	{
		printf 'Types: %s\nSuites: %s\nComponents: main\n' "$1" "$suite"
		[ -z "${2:-}" ] || printf 'Architectures: %s\n' "$2"
		debian_archive
	} >"$apt/suite.sources"
	cat >"$apt/apt.conf" <<-CONF
		#clear APT::Update;
		#clear DPkg;
		Dir::Etc::sourcelist "$apt/suite.sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt/cache";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		Dir::Bin::dpkg-source "/nonexistent";
		APT::Sandbox::User "root";
		APT::Update::Error-Mode "any";
		APT::Default-Release "";
		Acquire::Languages "none";
		Acquire::Retries "3";
	CONF
	[ -n "${2:-}" ] || return 0
	: >"$apt/status"
	cat >>"$apt/apt.conf" <<-CONF
		#clear APT::Architectures;
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		Dir::State::status "$apt/status";
	CONF
}

# apt_get WORD...: quiet; what it said is kept for the error line.
apt_get() {
	(cd "$scratch/get" && apt-get -q -y -c "$apt/apt.conf" "$@") >"$scratch/apt.log" 2>&1
}

apt_error() {
	sed -n 's/^E: //p' "$scratch/apt.log" | head -n 1
}
