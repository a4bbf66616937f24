/*
 * Which variables the scrub drops and which it must leave alone, by name and by value. Each kind
 * has both sides: what is dropped, and the innocent names and values that look like it.
 */
#include <time.h>

#include "lib/policy/env.h"
#include "lib/policy/env_rules.h"
#include "tap.h"

#define INJECTION "code injection"
#define HANDLE "outside handle"
#define NAME "secret name"
#define VALUE "secret value"

static void drops_names(const char *rule, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		is_str(env_drop_rule(names[i], "x"), rule, "%s", names[i]);
}

#define DROPS(rule, ...) \
	drops_names(rule, (const char *const[]){ __VA_ARGS__ }, \
		    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void test_kept_names(void)
{
	static const char *const kept[] = {
		"PATH", "HOME", "LANG", "TERM", "USER", "USERNAME", "LOGNAME", "VIRTUAL_ENV",
		"CONDA_DEFAULT_ENV", "OCT_MCP_SESSION_ID", "OCT_MCP_REQUEST_ID", "LC_ALL",
		"LC_CTYPE", "LC_X", "TZ", "SHELL", "COLORTERM", "NO_COLOR", "TMPDIR", "PWD",
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		is_str(env_drop_rule(kept[i], "x"), NULL, "%s passes", kept[i]);
		ok(env_name_is_kept(kept[i]), "%s is on the keep list", kept[i]);
	}
	ok(!env_name_is_kept("FOO") && !env_name_is_kept("LC") && !env_name_is_kept("path"),
	   "other names are not");
	is_str(env_drop_rule("LC_MY_TOKEN", "x"), NAME, "a kept beginning shelters no secret");
	is_str(env_drop_rule("HOME", "ghp_0123456789abcdefABCD"), VALUE, "nor does a kept name");
	is_str(env_drop_rule("TERM", "() { :;}; echo"), INJECTION, "nor code in a kept name");
}

static void test_injection_names(void)
{
	DROPS(INJECTION, "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "_RLD_ROOT", "_RLD32_LIST",
	      "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH",
	      "HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN", "MALLOC_CHECK_", "RESOLV_HOST_CONF");
	DROPS(INJECTION, "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS",
	      "CDPATH", "GLOBIGNORE", "ZDOTDIR", "FPATH", "BASH_FUNC_x%%", "BASH_FUNC_module()");
	DROPS(INJECTION, "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT",
	      "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONPYCACHEPREFIX", "NODE_OPTIONS",
	      "NODE_PATH", "npm_config_registry", "npm_config__auth", "PERL5LIB", "PERL5OPT",
	      "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	      "JDK_JAVA_OPTIONS", "CLASSPATH", "LUA_PATH", "LUA_INIT_5_4", "PHPRC",
	      "PHP_INI_SCAN_DIR", "GOFLAGS", "RUSTC_WRAPPER",
	      "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "CARGO_BUILD_RUSTC_WRAPPER",
	      "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER", "COR_PROFILER_PATH");
	DROPS(INJECTION, "GIT_SSH_COMMAND", "GIT_DIR", "GIT_CONFIG_COUNT", "EDITOR", "VISUAL",
	      "PAGER", "LESSOPEN", "LESSCLOSE", "LESS", "MANPAGER", "BROWSER", "SSH_ASKPASS",
	      "SUDO_ASKPASS", "SUDO_EDITOR", "BAT_PAGER", "SYSTEMD_PAGER", "TERMINFO",
	      "TERMINFO_DIRS", "TERMCAP", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
	      "GTK_MODULES", "QT_PLUGIN_PATH", "GIO_EXTRA_MODULES", "KRB5_CONFIG", "TAR_OPTIONS",
	      "RSYNC_RSH", "CVS_RSH", "MAKEFILES", "RIPGREP_CONFIG_PATH", "CCACHE_PREFIX",
	      "CCACHE_PREFIX_CPP", "GCC_EXEC_PREFIX");
}

static void test_handle_names(void)
{
	DROPS(HANDLE, "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO",
	      "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY",
	      "WAYLAND_SOCKET", "XAUTHORITY", "TMUX", "TMUX_PANE", "STY", "DOCKER_HOST",
	      "CONTAINER_HOST", "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "NOTIFY_SOCKET",
	      "LISTEN_FDS", "LISTEN_PID", "INVOCATION_ID", "JOURNAL_STREAM", "VSCODE_IPC_HOOK_CLI",
	      "VSCODE_GIT_ASKPASS_NODE", "NVIM", "NVIM_LISTEN_ADDRESS", "BASH_XTRACEFD",
	      "MAKEFLAGS", "CARGO_MAKEFLAGS", "WSL_INTEROP", "SWAYSOCK", "GNOME_KEYRING_CONTROL",
	      "KRB5CCNAME");
}

static void test_secret_names(void)
{
	DROPS(NAME, "TOKEN", "FOO_TOKEN", "TOKENS", "MY_SECRET", "SECRETS", "DB_PASSWORD", "PASSWD",
	      "X_PASSPHRASE", "FOO_PWD", "API_KEY", "KEYS", "APIKEY", "ACCESSKEY", "CREDENTIAL",
	      "GOOGLE_APPLICATION_CREDENTIALS", "CREDS", "AUTH", "AUTHORIZATION", "BEARER",
	      "COOKIE", "PRIVATE", "SALT", "SIGNING", "SENTRY_DSN", "MY_WEBHOOK", "WEBHOOK_URL",
	      "A_KEY_B");
	DROPS(NAME, "my_token", "Api-Key", "db.password", "apiKey", "APIKey", "DBKey", "dbPassword",
	      "clientSecret", "Token2", "API_KEY_1", "SECRET0", "PASSWORD123", "OAUTH2Token");
	DROPS(NAME, "PGPASSWORD", "MYSQL_PWD", "SSHPASS", "CLIENTSECRET", "authtoken",
	      "REDISPASSWORD", "DB_PASS", "SMTP_PASS", "JWT", "X_CONNECTION_STRING",
	      "ConnectionStrings__Default");
	DROPS(NAME, "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AZURE_CLIENT_ID", "GCP_PROJECT",
	      "GITHUB_ENV", "GH_HOST", "GITLAB_CI", "NPM_CONFIG_X", "PYPI_USER", "HF_HOME",
	      "OPENAI_BASE_URL", "ANTHROPIC_MODEL", "GEMINI_X", "STRIPE_X", "SLACK_X", "VAULT_ADDR",
	      "TF_VAR_x", "CLOUDFLARE_EMAIL");
	DROPS(NAME, "DATABASE_URL", "REDIS_URL", "TEST_DATABASE_URL", "MONGODB_URI", "POSTGRES_URL",
	      "CELERY_BROKER_URL", "DIRENV_DIFF", "__MISE_DIFF", "SUDO_COMMAND",
	      "BUNDLE_GEMS__EXAMPLE__COM", "OTEL_EXPORTER_OTLP_HEADERS");
}

static void test_innocent_names(void)
{
	static const char *const pass[] = {
		"MONKEY", "KEYBOARD", "AUTHOR", "TOKENIZERS_PARALLELISM", "PWD", "OLDPWD", "monkey",
		"Monkey", "AUTHORS", "KEYMAP", "TURKEY", "COMPASS", "BYPASS", "PASSENGER_ENV",
		"PASS_COUNT", "PATTERN", "PAT_INDEX", "SALTED", "PRIVATEER", "SECRETARY",
		"DESIGNING", "HOTKEYS2024", "KEYSTORE_TYPE", "COOKIECUTTER", "AUTHENTICATOR",
		"TOKENIZER", "CC", "CXX", "CFLAGS", "LDFLAGS", "LIBRARY_PATH", "CPATH",
		"PKG_CONFIG_PATH", "GOPATH", "GOROOT", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME",
		"JAVA_HOME", "GEM_HOME", "NVM_DIR", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
		"PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONIOENCODING", "PYTHONUTF8",
		"PIP_INDEX_URL", "PIP_NO_CACHE_DIR", "UV_CACHE_DIR", "NODE_ENV",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
		"REQUESTS_CA_BUNDLE", "GOOGLE_CLOUD_PROJECT", "http_proxy", "HTTPS_PROXY",
		"no_proxy", "ALL_PROXY", "LS_COLORS", "COLUMNS", "LINES", "HISTSIZE", "SHLVL",
		"HOSTNAME", "EDITION", "LDPATH", "DISPLAY_NAME", "LISTENER", "GITEA_URL",
		"DOCKERFILE", "ENVIRONMENT", "IFSX", "ASAN_OPTIONS", "OMP_NUM_THREADS", "MAKELEVEL",
		"TERM_PROGRAM", "XDG_DATA_DIRS", "XDG_SESSION_TYPE", "CI", "DEBIAN_FRONTEND",
		"npm_lifecycle_event", "JPG_URL", "A", "_", "LESSCHARSET", "PERL_HASH_SEED",
		"OTP_VERSION", "LUA", "TZDIR", "LOCALE_ARCHIVE",
	};

	for (size_t i = 0; i < sizeof(pass) / sizeof(pass[0]); i++)
		is_str(env_drop_rule(pass[i], "x"), NULL, "%s passes", pass[i]);
	is_str(env_drop_rule("", ""), NULL, "no name at all matches no rule");
	is_str(env_drop_rule("FOO", NULL), NULL, "a name without a value");
	is_str(env_drop_rule("FOO_TOKEN", NULL), NAME, "is judged by its name");
}

/* Tokens are put together from pieces, so that no scanner takes this file for a leak. */
#define T16 "A1b2C3d4E5f6G7h8"
#define HEX32 "0123456789abcdef0123456789abcdef"

static void test_secret_values(void)
{
	static const char *const secrets[] = {
		"ghp_" T16 T16, "gho_" T16, "ghs_" T16, "ghu_" T16, "github_pat_" T16 "_" T16,
		"glpat-" T16 "abcd", "AKIA" "IOSFODNN7EXAMPLE", "ASIA" "IOSFODNN7EXAMPLE",
		"AIza" T16 T16 "abc", "ya29." T16, "xoxb-" "123456789-" T16, "xoxp-" T16,
		"xapp-1-" T16, "sk-" T16 T16, "sk-ant-" "api03-" T16, "sk-proj-" T16,
		"sk_live_" T16, "rk_test_" T16, "hf_" T16 T16, "npm_" T16 T16,
		"pypi-Ag" "EIcHlwaS5vcmc", "SG." T16 "." T16,
		"eyJ" "hbGciOiJIUzI1NiJ9." "eyJ" "zdWIiOiIxIn0." "c2lnbmF0dXJl",
		"AGE-SECRET-KEY-1" "QQPQ", "hvs." T16, "Bearer " T16, "bearer abcdef123456",
		"dapi" HEX32, "rubygems_" HEX32, "dckr_pat_" T16,
		/* keys */
		"-----BEGIN PRIVATE KEY-----\nMII", "-----BEGIN RSA PRIVATE KEY-----",
		"-----BEGIN EC PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----",
		"-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----",
		"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "PuTTY-User-Key-File-3: ssh-rsa",
		"LS0tLS1CRUdJTiBQUklWQVRFIEtF" "WS0tLS0t",
		"LS0tLS1CRUdJTiBSU0EgUFJJVkFU" "RSBLRVkt",
		/* user and password */
		"postgres://u:p@h", "https://u:p@h:8080/x?y", "redis://:p@h:6379/0", "a://u:p@ss@h",
		"amqps://user:p%40ss@h/v", "jdbc:mysql://u:p@h/d", "mongodb+srv://u:p@c.example/x",
		"postgres://u:p/w@h/db", "http://u:12x/y@h",
		/* parameters */
		"https://h/x?token=abc", "https://h/x?a=1&api_key=abc", "https://h/x?sig=abc",
		"https://h/b?X-Amz-Credential=abc", "jdbc:x://h/d?user=u&password=p",
		"Server=h;User Id=u;Password=p;", "Endpoint=sb://x/;SharedAccessKey=abc=",
		"DefaultEndpointsProtocol=https;AccountKey=abc==", "//r.example/:_authToken=abc",
		"Server=h; Pwd=x", "--password=abc", "run --verbose --token=abc",
		/* headers */
		"Authorization: Basic dTpw", "X-Api-Key: abc", "Cookie: a=b", "authorization: x",
		/* in the middle */
		"Authorization: Bearer " T16, "use ghp_" T16 " here", "{\"t\":\"ghp_" T16 "\"}",
		"key is\n-----BEGIN RSA PRIVATE KEY-----\nMII", "a,xoxb-" T16 ",b",
		"x=AKIA" "IOSFODNN7EXAMPLE", "url=postgres://u:p@h",
		"first https://h/ then https://u:p@h/", "/path/sk-ant-" "api03-" T16,
	};

	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		ok(env_is_secret_value(secrets[i]), "secret: %s", secrets[i]);
		is_str(env_drop_rule("FOO", secrets[i]), VALUE, "and its rule");
	}
}

static void test_innocent_values(void)
{
	static const char *const innocent[] = {
		"", "x", "1", "/usr/bin:/bin", "en_US.UTF-8", "xterm-256color", "a b c", "100%",
		"https://example.org/", "https://h:8080/path/@scope/pkg", "http://[::1]:8080/a@b",
		"http://[::1]/a@b", "ssh://git@github.example/x.git", "git@github.example:x/y.git",
		"user@host", "a:b@c", "ssh://user@host:22/x", "ftp://user:@h/",
		"file:///home/u/x@y", "://u:p@h", "docker://alpine:3.18@sha256:" HEX32,
		"registry:5000/img:tag@sha256:" HEX32, "kafka://h1:9092,h2:9092/t@x",
		"postgres://user@h:5432/db", "s3://bucket/key", "https://h/?page=2&sort=key",
		"https://h/?a=b;c=d", "https://h/x?key=", "x?token=&b", "https://h/x?monkey=1",
		"a=1;b=2", "ms=01;31:mc=01;31:sl=:cx=:fn=35:se=36",
		"rs=0:di=01;34:ln=01;36:*.tar=01;31:*.key=00;90:*.pem=00;90",
		"error=01;31:note=01;36", "sk_SK.UTF-8", "sk-SK", "sk-learn",
		"disk-A1b2C3d4E5f6G7h8J9", "task-0123456789abcdefgh",
		"sk-a-long-name-of-some-project", "npm_lifecycle_event", "npm_config_cache",
		"hf_home", "ghp_", "ghp_short", "xghp_" T16 T16, "AKIA", "AKIAshort",
		"MAKIAIOSFODNN7EXAMPLE1", "xoxb-", "AIza", "SG.UTF-8", "SG.one.two", "eyJ",
		"eyJhbGciOiJI", "eyJhbGciOiJI.x.y", "eyJhbGciOiJI.eyJ", "eyJ.eyJ.x",
		"bearer of news", "Bearer ", "the bearer", "Bearer x",
		"-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN PUBLIC KEY-----", "-----BEGIN ",
		"-----BEGIN RSA PUBLIC KEY-----", "----------------------", "PRIVATE KEY",
		"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
		HEX32 HEX32, "123e4567-e89b-12d3-a456-426614174000", "() echo", " () { :; }",
		"monkey: x", "--author=x", "--key", "--color=auto --keyboard=us", "pk_live_" T16,
		"-Xmx512m", "name: value", "time: 10:20", "C:\\Windows\\x@y", "mailto:a@b.example",
		"\xff\xfe\x80", "https://h/auth:x", "50% ?&;:-", ":", "://", "?", "--",
		"-----BEGIN PRIVATE", "sk-",
	};

	for (size_t i = 0; i < sizeof(innocent) / sizeof(innocent[0]); i++)
		is_str(env_drop_rule("FOO", innocent[i]), NULL, "innocent: %s", innocent[i]);
}

static void test_functions_and_proxies(void)
{
	is_str(env_drop_rule("FOO", "() { :;}; echo"), INJECTION, "a function in a value");
	is_str(env_drop_rule("FOO_TOKEN", "() {"), INJECTION, "comes before the name");
	is_str(env_drop_rule("HTTP_PROXY", "http://u:p@h:3128"), NULL,
	       "a proxy with a password passes");
	is_str(env_drop_rule("https_proxy", "u:p@h:3128"), NULL,
	       "in any case and without a scheme");
	is_str(env_drop_rule("HTTP_PROXY", "http://ghp_" T16 "@h"), NULL,
	       "a token is userinfo too");
	is_str(env_drop_rule("HTTP_PROXY", "http://h/?token=abc"), VALUE, "but not in the rest");
	is_str(env_drop_rule("HTTP_PROXY", "u:p@() { :;}"), INJECTION, "nor may it become code");
	is_str(env_drop_rule("_proxy", "http://u:p@h"), VALUE, "that needs a name before _proxy");
	is_str(env_drop_rule("PROXY", "http://u:p@h"), VALUE, "and a word of its own");
	is_str(env_drop_rule("GOPROXY", "http://u:p@h"), VALUE, "not only the letters");
	is_str(env_proxy_host("http://u:p@h:1"), "h:1", "what is left of a proxy");
	is_str(env_proxy_host("http://u:p/@x@h:1"), "h:1", "with odd passwords");
	is_str(env_proxy_host("h:1"), "h:1", "without userinfo");
}

/* The table itself: order decides whether the binary search finds anything. */
static const char *const exact_names[] = {
#define EXACT(name, class) name,
#define GLOB(start, end, class)
#include "lib/policy/env_rules.def"
#undef EXACT
#undef GLOB
};

static void test_table(void)
{
	size_t count = sizeof(exact_names) / sizeof(exact_names[0]);
	size_t unsorted = 0;

	for (size_t i = 1; i < count; i++) {
		if (strcmp(exact_names[i - 1], exact_names[i]) >= 0) {
			diag("%s stands before %s", exact_names[i - 1], exact_names[i]);
			unsorted++;
		}
	}
	is_int(unsorted, 0, "the table is in strcmp() order without duplicates");
	for (size_t i = 0; i < count; i++)
		ok(env_name_is_kept(exact_names[i]) || env_name_rule(exact_names[i]),
		   "%s of the table is found", exact_names[i]);
}

/* The best of some rounds, so that what else the machine does hardly counts. */
static double seconds_of(const char *value)
{
	double best = 1e9;

	for (int i = 0; i < 20; i++) {
		struct timespec from, to;

		clock_gettime(CLOCK_MONOTONIC, &from);
		if (env_drop_rule("FOO", value))
			diag("a value that was meant to be innocent is not");
		env_text_has_assignment(value);
		clock_gettime(CLOCK_MONOTONIC, &to);
		double s = (double)(to.tv_sec - from.tv_sec) +
			   (double)(to.tv_nsec - from.tv_nsec) / 1e9;
		best = s < best ? s : best;
	}
	return best;
}

/* Values that would make a careless scanner look back or ahead again and again. */
static void test_long_values(void)
{
	static const char *const pieces[] = {
		"-", "--", "eyJ-", "eyJ.", "x://", "x://a:b/", ";", "?a", "a=", ":", " ", "Bearer ",
		"SG.", "-----BEGIN ", "=\"", "sk-", "ghp_", "aB", "--a", "& ", "() {",
	};
	const size_t size = 256UL * 1024;
	char *value = malloc(size + 1);

	if (!value)
		BAIL("no memory");
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t len = strlen(pieces[i]);
		for (size_t j = 0; j < size; j++)
			value[j] = pieces[i][j % len];
		value[size] = '\0';
		value[0] = 'x';
		double all = seconds_of(value);
		value[size / 8] = '\0';
		ok(all < 30 * seconds_of(value), "'%s': eight times the length takes about "
		   "eight times as long, not 64", pieces[i]);
	}
	memset(value, 'A', size);
	value[size - 5] = '_';
	memcpy(value + size - 4, "KEY", 4);
	is_str(env_drop_rule(value, "x"), NAME, "a name of 256 KiB");
	free(value);
}

int main(void)
{
	test_kept_names();
	test_injection_names();
	test_handle_names();
	test_secret_names();
	test_innocent_names();
	test_secret_values();
	test_innocent_values();
	test_functions_and_proxies();
	test_table();
	test_long_values();
	return done_testing();
}
