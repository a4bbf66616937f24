/* What is made from an option table: --help, man page, Markdown; completion, run by a real bash. */
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/opt.h"
#include "lib/base/str.h"
#include "opt_row.h"
#include "tap.h"

static int no_parse(void *target, const char *value, struct err *e)
{
	(void)target;
	(void)value;
	(void)e;
	return 0;
}

static const struct opt opts[] = {
	OPT_ROW("backend", 'b', OPT_STRING, 0, "NAME", "the backend", "auto", "Back\\end", 0,
	    NULL, 0),
	OPT_ROW("net", 0, OPT_FUNC, 0, "none|loopback|host", "the network", "none", "View", 0,
	    no_parse,
	  0),
	OPT_ROW("ro", 0, OPT_LIST, 0, "PATH",
	  "show PATH read-only, and everything below it, but not what a later option changes",
	  NULL, NULL, OPT_REPEATS, NULL, 0),
	OPT_ROW("stdin", 'i', OPT_FUNC, 0, "null|inherit|FILE", "input", "inherit", "View",
	    OPT_REPEATS,
	  no_parse, 0),
	OPT_ROW("secret", 'x', OPT_FLAG, 0, NULL, "hidden", NULL, NULL, OPT_HIDDEN, NULL, 0),
	OPT_ROW("alias", 0, OPT_STRING, 0, "X", "policy only", NULL, "Nothing to see",
	    OPT_POLICY_ONLY,
	  NULL, 0),
	OPT_ROW("color", 0, OPT_FUNC, 0, "WHEN", ".dot 'quoted' a_b*c*<d>|e\\f", NULL, "Other",
	  OPT_OPTIONAL_ARG, no_parse, 0),
	OPT_ROW("verbose", 'v', OPT_COUNT, 0, NULL, "more", NULL, NULL, OPT_REPEATS, NULL, 0),
};

static const struct opt_table table = {
	"sbx-test", "[options] [--] COMMAND [ARG...]", "test a table",
	"Exit status:\n"
	"  0     good\n"
	"  125   bad\n"
	"\n"
	"A paragraph that is long enough to be filled over more than one\n"
	"line of the help text: it goes on.\n"
	"\n"
	"Another one:\n"
	"\n"
	"  sbx-test -- ls\n"
	"\n"
	".not a request",
	opts, MEM_COUNT(opts),
};

static const char *print(int (*put)(const struct opt_table *, struct buf *, struct err *),
			 const struct opt_table *t)
{
	static struct buf b;
	struct err e = ERR_INIT;

	buf_fini(&b);
	buf_init(&b, 1 << 20);
	if (put(t, &b, &e) < 0)
		BAIL("%s", e.msg);
	return buf_str(&b, &e);
}

static void test_help(void)
{
	is_str(print(opt_put_help, &table),
	       "Usage: sbx-test [options] [--] COMMAND [ARG...]\n"
	       "test a table\n"
	       "\n"
	       "Back\\end:\n"
	       "  -b, --backend NAME        the backend (default: auto)\n"
	       "\n"
	       "View:\n"
	       "      --net none|loopback|host\n"
	       "                            the network (default: none)\n"
	       "      --ro PATH             show PATH read-only, and everything below it, but\n"
	       "                            not what a later option changes (repeatable)\n"
	       "  -i, --stdin null|inherit|FILE\n"
	       "                            input (default: inherit; repeatable)\n"
	       "\n"
	       "Other:\n"
	       "      --color[=WHEN]        .dot 'quoted' a_b*c*<d>|e\\f\n"
	       "  -v, --verbose             more (repeatable)\n"
	       "\n"
	       "Exit status:\n"
	       "  0     good\n"
	       "  125   bad\n"
	       "\n"
	       "A paragraph that is long enough to be filled over more than one line of the help\n"
	       "text: it goes on.\n"
	       "\n"
	       "Another one:\n"
	       "\n"
	       "  sbx-test -- ls\n"
	       "\n"
	       ".not a request\n",
	       "help");
}

/* The longest line in characters. */
static size_t widest(const char *text)
{
	size_t width = 0;
	size_t best = 0;

	for (; *text; text++) {
		if (*text == '\n')
			width = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80 && ++width > best)
			best = width;
	}
	return best;
}

/* Help of one option with words of every length, in one- and three-byte characters. */
static void test_help_width(void)
{
	char help[1000];
	char name[120];
	char arg[120];
	size_t bad = 0;

	for (size_t len = 1; len < 110; len++) {
		help[0] = '\0';
		for (size_t used = 0; used + len * 3 + 2 < sizeof(help) && used < 300;
		     used = strlen(help)) {
			for (size_t i = 0; i < len; i++)
				memcpy(help + used + i * 3, "€", 4);
			memcpy(help + strlen(help), " ", 2);
		}
		memset(name, 'n', len);
		name[len] = '\0';
		memset(arg, 'A', 110 - len);
		arg[110 - len] = '\0';
		struct opt opt = {
			.name = name, .type = OPT_STRING, .arg = arg, .help = help, .dflt = name
		};
		struct opt_table one = { name, help, help, help, &opt, 1 };
		const char *text = print(opt_put_help, &one);
		bad += widest(text) > 80 || !str_is_utf8(text, strlen(text));
		bad += strstr(text, " \n") != NULL;
	}
	is_int(bad, 0, "no line of any help is wider than 80 columns");
	struct opt_table bare = { "a", "", "s", NULL, NULL, 0 };
	is_str(print(opt_put_help, &bare), "Usage: a\ns\n", "help of an empty table");
}

static void test_man(void)
{
	is_str(print(opt_put_man, &table),
	       ".TH \"sbx\\-test\" 1 \"\" \"sbx\" \"User Commands\"\n"
	       ".SH NAME\n"
	       "sbx\\-test \\- test a table\n"
	       ".SH SYNOPSIS\n"
	       "\\fBsbx\\-test\\fR [options] [\\-\\-] COMMAND [ARG...]\n"
	       ".SH OPTIONS\n"
	       ".SS \"Back\\eend\"\n"
	       ".TP\n"
	       "\\fB\\-b\\fR, \\fB\\-\\-backend\\fR \\fINAME\\fR\n"
	       "the backend (default: auto)\n"
	       ".SS \"View\"\n"
	       ".TP\n"
	       "\\fB\\-\\-net\\fR \\fInone|loopback|host\\fR\n"
	       "the network (default: none)\n"
	       ".TP\n"
	       "\\fB\\-\\-ro\\fR \\fIPATH\\fR\n"
	       "show PATH read\\-only, and everything below it, but not what a later option "
	       "changes (repeatable)\n"
	       ".TP\n"
	       "\\fB\\-i\\fR, \\fB\\-\\-stdin\\fR \\fInull|inherit|FILE\\fR\n"
	       "input (default: inherit; repeatable)\n"
	       ".SS \"Other\"\n"
	       ".TP\n"
	       "\\fB\\-\\-color\\fR[=\\fIWHEN\\fR]\n"
	       "\\&.dot \\(aqquoted\\(aq a_b*c*<d>|e\\ef\n"
	       ".TP\n"
	       "\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR\n"
	       "more (repeatable)\n"
	       ".SH \"EXIT STATUS\"\n"
	       ".EX\n"
	       "  0     good\n"
	       "  125   bad\n"
	       "\n"
	       ".EE\n"
	       ".PP\n"
	       "A paragraph that is long enough to be filled over more than one\n"
	       "line of the help text: it goes on.\n"
	       ".SH \"ANOTHER ONE\"\n"
	       ".EX\n"
	       "  sbx\\-test \\-\\- ls\n"
	       "\n"
	       ".EE\n"
	       ".PP\n"
	       "\\&.not a request\n",
	       "man page");
}

static void test_markdown(void)
{
	is_str(print(opt_put_markdown, &table),
	       "| option | meaning |\n"
	       "|---|---|\n"
	       "| **Back\\\\end** | |\n"
	       "| `-b, --backend NAME` | the backend (default: auto) |\n"
	       "| **View** | |\n"
	       "| `--net none\\|loopback\\|host` | the network (default: none) |\n"
	       "| `--ro PATH` | show PATH read-only, and everything below it, but not what a later "
	       "option changes (repeatable) |\n"
	       "| `-i, --stdin null\\|inherit\\|FILE` | input (default: inherit; repeatable) |\n"
	       "| **Other** | |\n"
	       "| `--color[=WHEN]` | .dot 'quoted' a\\_b\\*c\\*\\<d\\>\\|e\\\\f |\n"
	       "| `-v, --verbose` | more (repeatable) |\n",
	       "Markdown");
}

/* Every cap fails, none crashes, and the error is told. */
static void test_failures(void)
{
	static int (*const puts_[])(const struct opt_table *, struct buf *, struct err *) = {
		opt_put_help,
		opt_put_man,
		opt_put_markdown,
		opt_put_completion,
	};

	for (size_t k = 0; k < MEM_COUNT(puts_); k++) {
		size_t whole = strlen(print(puts_[k], &table));
		size_t bad = 0;
		for (size_t cap = 0; cap <= whole; cap++) {
			struct err e = ERR_INIT;
			struct buf b;
			buf_init(&b, cap);
			int rc = puts_[k](&table, &b, &e);
			bad += rc != (cap == whole ? 0 : -1) || (rc < 0 && e.kind != ERR_IO);
			buf_fini(&b);
		}
		is_int(bad, 0, "output %zu fails under every cap that is too small", k);
	}
}

/* Feed script to bash and return what it prints. */
static const char *run_bash(const char *script)
{
	static char out[4096];
	int in_fds[2], out_fds[2];
	size_t len = 0;

	if (pipe(in_fds) < 0 || pipe(out_fds) < 0)
		BAIL("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in_fds[0], 0);
		dup2(out_fds[1], 1);
		close(in_fds[0]);
		close(in_fds[1]);
		close(out_fds[0]);
		close(out_fds[1]);
		execlp("bash", "bash", "--norc", "-eu", "-s", (char *)NULL);
		_exit(127);
	}
	close(in_fds[0]);
	close(out_fds[1]);
	if (write(in_fds[1], script, strlen(script)) !=
	    (ssize_t)strlen(script)) /* less than a pipe holds */
		BAIL("write");
	close(in_fds[1]);
	for (ssize_t n;
	     len < sizeof(out) - 1 && (n = read(out_fds[0], out + len, sizeof(out) - 1 - len)) > 0;)
		len += (size_t)n;
	close(out_fds[0]);
	out[len] = '\0';
	int status;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return NULL;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? out : "bash failed";
}

static void test_completion(void)
{
	static const struct {
		const char *words; /* as bash splits them */
		const char *want;
	} cases[] = {
		{ "sbx-test --ba", "--backend" },
		{ "sbx-test -", "-b --backend --net --ro -i --stdin --color -v --verbose" },
		{ "sbx-test --sec", "" },
		{ "sbx-test --al", "" },
		{ "sbx-test --net ''", "none loopback host" },
		{ "sbx-test --net lo", "loopback" },
		{ "sbx-test --net =", "none loopback host" },
		{ "sbx-test --net = h", "host" },
		{ "sbx-test -i ''", "null inherit" },
		{ "sbx-test -v --net none --ba", "--backend" },
		{ "sbx-test --net = none --ba", "--backend" },
		{ "sbx-test --backend --ba", "" },
		{ "sbx-test --color --ba", "--backend" },
		{ "sbx-test --color = x --ba", "--backend" },
		{ "sbx-test -- --ba", "" },
		{ "sbx-test ls --ba", "" },
		{ "sbx-test -b x sbxtestcommand_o", "sbxtestcommand_one" },
		{ "sbx-test -- sbxtestcommand_o", "sbxtestcommand_one" },
		{ "sbx-test ls sbxtestcommand_o", "" },
	};
	const char *probe = run_bash("echo yes\n");

	if (!probe) {
		skip("bash is not installed");
		return;
	}
	MEM_AUTOFREE char *script = mem_strdup(print(opt_put_completion, &table), NULL);
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		MEM_AUTOFREE char *test =
			mem_printf(NULL,
				   "%s\nsbxtestcommand_one() { :; }\nCOMP_WORDS=(%s)\n"
				   "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_sbx_test || true\n"
				   "printf '%%s' \"${COMPREPLY[*]-}\"\n",
				   script, cases[i].words);
		is_str(run_bash(test), cases[i].want, "completion of: %s", cases[i].words);
	}
	struct opt_table bare = { "a-b", "", "s", NULL, opts, 1 };
	MEM_AUTOFREE char *text = mem_strdup(print(opt_put_completion, &bare), NULL);
	ok(strstr(text, "compgen -c") == NULL, "an applet that runs no command completes none");
	MEM_AUTOFREE char *test =
		mem_printf(NULL,
			   "%s\nCOMP_WORDS=(a-b --b)\nCOMP_CWORD=1\n_a_b || true\n"
			   "printf '%%s' \"${COMPREPLY[*]-}\"\n",
			   text);
	is_str(run_bash(test), "--backend", "a table without optional values gives a valid script");
}

int main(void)
{
	test_help();
	test_help_width();
	test_man();
	test_markdown();
	test_failures();
	test_completion();
	return done_testing();
}
