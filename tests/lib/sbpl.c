/*
 * A reader of sandbox profiles, for the tests of the generator; it shares no code with it.
 *
 *	sbpl check <PROFILE
 *		well formed? each rule on a line of its own, strings as they are
 *	sbpl ask OPERATION ARG <PROFILE
 *		"allow" or "deny": the last rule that matches, else the default. ARG is a path, a
 *		service's name or a target.
 *	sandbox-exec -p PROFILE COMMAND...
 *		under that name: check, keep the profile beside itself in the file "profile", run
 *		the command as it is
 *
 * Knows the words that a profile of this program may use and takes no other for granted: an unknown
 * one makes the real sandbox-exec refuse the profile. Exit status 65 for a bad profile, as there.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EX_DATA 65
#define TEXT_MAX (1 << 20)
#define NODES_MAX (1 << 16)

enum kind { LIST, SYMBOL, STRING, NUMBER };

struct node { /* children of a list are chained */
	enum kind kind;
	char *text;
	struct node *first, *next;
};

static struct node nodes[NODES_MAX];
static size_t node_count;
static const char *name = "sbpl";

static _Noreturn void __attribute__((format(printf, 1, 2))) bad(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EX_DATA);
}

static struct node *new_node(enum kind kind)
{
	if (node_count == NODES_MAX)
		bad("too many words");
	nodes[node_count].kind = kind;
	return &nodes[node_count++];
}

/* ---- reading; the text is taken apart in place ---- */

static const char *skip_blank(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\n");
		if (*p != ';')
			return p;
		p += strcspn(p, "\n");
	}
}

static struct node *read_string(const char **at)
{
	struct node *n = new_node(STRING);
	const char *p = *at + 1;
	size_t len = 0;

	n->text = malloc(strlen(p) + 1);
	if (n->text == NULL)
		bad("out of memory");
	for (; *p != '"'; p++) {
		if (*p == '\0')
			bad("a string does not end");
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			bad("a control character in a string");
		if (*p == '\\' && *++p != '"' && *p != '\\')
			bad("an escape that is not promised: \\%c", *p);
		n->text[len++] = *p;
	}
	n->text[len] = '\0';
	*at = p + 1;
	return n;
}

static struct node *read_word(const char **at)
{
	size_t len = strcspn(*at, " \t\n()\";");
	struct node *n;

	if (len == 0)
		bad("what is this: %.20s", *at);
	n = new_node(isdigit((unsigned char)**at) ? NUMBER : SYMBOL);
	n->text = strndup(*at, len);
	if (n->text == NULL)
		bad("out of memory");
	*at += len;
	return n;
}

static struct node *read_node(const char **at, int depth)
{
	struct node *n, **last;

	*at = skip_blank(*at);
	if (**at == '"')
		return read_string(at);
	if (**at != '(')
		return read_word(at);
	if (depth > 8)
		bad("too deep");
	++*at;
	n = new_node(LIST);
	last = &n->first;
	for (;;) {
		*at = skip_blank(*at);
		if (**at == '\0')
			bad("a list does not end");
		if (**at == ')')
			break;
		*last = read_node(at, depth + 1);
		last = &(*last)->next;
	}
	++*at;
	return n;
}

static struct node *read_profile(const char *text)
{
	struct node *first = NULL, **last = &first;

	for (text = skip_blank(text); *text != '\0'; text = skip_blank(text)) {
		*last = read_node(&text, 0);
		last = &(*last)->next;
	}
	return first;
}

/* ---- meaning ---- */

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

static const char *const operations[] = { "default", "network*", "network-outbound", "network-bind",
	"network-inbound", "system-socket", "mach-lookup", "mach-register", "mach-priv*",
	"appleevent-send", "lsopen", "job-creation", "authorization-right-obtain",
	"distributed-notification-post", "user-preference-write", "iokit-open", "nvram*",
	"process-info*", "signal", "file-read*", "file-read-metadata", "file-write*",
	"file-write-data", "file-write-unlink", "file-write-setugid", "file-map-executable",
	"file-link", "file-clone", "file-mount", "file-unmount", NULL };

/* Of these a release may know no such word. */
static const char *const newer[] = { "file-map-executable", "file-link", "file-clone", "file-mount",
	"file-unmount", "mach-register", "mach-priv*", "appleevent-send", "lsopen", "job-creation",
	"authorization-right-obtain", "distributed-notification-post", "user-preference-write",
	"iokit-open", "nvram*", NULL };

static bool is_symbol(const struct node *n, const char *word)
{
	return n != NULL && n->kind == SYMBOL && strcmp(n->text, word) == 0;
}

/* (literal "…") (subpath "…") (global-name "…") (target same-sandbox) (remote unix-socket) */
static void check_filter(const struct node *f)
{
	const struct node *arg = f->first == NULL ? NULL : f->first->next;

	if (f->first == NULL || arg == NULL || arg->next != NULL)
		bad("a filter has a name and one argument");
	if (is_symbol(f->first, "literal") || is_symbol(f->first, "subpath")) {
		size_t len = arg->kind == STRING ? strlen(arg->text) : 0;

		if (len < 2 || arg->text[0] != '/' || arg->text[len - 1] == '/' ||
		    strstr(arg->text, "//") != NULL || strstr(arg->text, "/../") != NULL ||
		    strstr(arg->text, "/./") != NULL)
			bad("(%s ...) wants a clean absolute path", f->first->text);
		return;
	}
	if (is_symbol(f->first, "global-name") && arg->kind == STRING)
		return;
	if (is_symbol(f->first, "target") && is_symbol(arg, "same-sandbox"))
		return;
	if (is_symbol(f->first, "remote") && is_symbol(arg, "unix-socket"))
		return;
	bad("unknown filter (%s ...)", f->first->kind == SYMBOL ? f->first->text : "?");
}

/* (when (defined? 'operation) RULE): the rule; else the node itself. */
static const struct node *inside_when(const struct node *n, const char **defined)
{
	const struct node *test;

	*defined = NULL;
	if (!is_symbol(n->first, "when"))
		return n;
	test = n->first->next;
	if (test == NULL || !is_symbol(test->first, "defined?") || test->first->next == NULL ||
	    test->first->next->kind != SYMBOL || test->first->next->text[0] != '\'' ||
	    test->next == NULL || test->next->next != NULL || test->next->kind != LIST)
		bad("(when (defined? 'OPERATION) RULE)");
	*defined = test->first->next->text + 1;
	return test->next;
}

static const struct node *rule_of(const struct node *n)
{
	const char *defined;
	const struct node *rule = inside_when(n, &defined), *word;
	size_t count = 0;

	if (!is_symbol(rule->first, "allow") && !is_symbol(rule->first, "deny"))
		bad("a rule begins with allow or deny");
	for (word = rule->first->next; word != NULL && word->kind == SYMBOL; word = word->next) {
		if (!is_one_of(word->text, operations))
			bad("unknown operation %s", word->text);
		if (is_one_of(word->text, newer) &&
		    (defined == NULL || strcmp(defined, word->text) != 0))
			bad("%s is not in every release: it needs (when (defined? '%s) ...)",
			    word->text, word->text);
		count++;
	}
	if (count == 0)
		bad("a rule without an operation");
	for (; word != NULL; word = word->next) {
		if (word->kind != LIST)
			bad("a filter is a list");
		check_filter(word);
	}
	return rule;
}

static const struct node *check(const struct node *profile)
{
	const struct node *v = profile == NULL ? NULL : profile->first;
	bool has_default = false;

	if (!is_symbol(v, "version") || v->next == NULL || v->next->kind != NUMBER ||
	    strcmp(v->next->text, "1") != 0 || v->next->next != NULL)
		bad("a profile begins with (version 1)");
	for (const struct node *n = profile->next; n != NULL; n = n->next) {
		if (n->kind != LIST || n->first == NULL)
			bad("a rule is a list");
		has_default |= is_symbol(rule_of(n)->first->next, "default");
	}
	if (!has_default)
		bad("no default");
	return profile->next;
}

static void print_rule(const struct node *rule)
{
	for (const struct node *w = rule->first; w != NULL; w = w->next) {
		if (w != rule->first)
			putchar(' ');
		if (w->kind == LIST)
			printf("%s=%s", w->first->text, w->first->next->text);
		else
			fputs(w->text, stdout);
	}
	putchar('\n');
}

static bool op_matches(const char *word, const char *operation)
{
	size_t len = strlen(word);

	if (word[len - 1] == '*')
		return strncmp(word, operation, len - 1) == 0;
	return strcmp(word, operation) == 0;
}

static bool filter_matches(const struct node *f, const char *arg)
{
	const char *text = f->first->next->text;
	size_t len = strlen(text);

	if (is_symbol(f->first, "subpath"))
		return strncmp(arg, text, len) == 0 && (arg[len] == '\0' || arg[len] == '/');
	if (is_symbol(f->first, "remote"))
		return arg[0] == '/';
	return strcmp(arg, text) == 0;
}

static bool rule_matches(const struct node *rule, const char *operation, const char *arg)
{
	const struct node *w = rule->first->next;
	bool is_op = false, has_filter = false;

	for (; w != NULL && w->kind == SYMBOL; w = w->next)
		is_op |= op_matches(w->text, operation);
	for (; w != NULL; w = w->next) {
		has_filter = true;
		if (is_op && filter_matches(w, arg))
			return true;
	}
	return is_op && !has_filter;
}

static const char *ask(const struct node *rules, const char *operation, const char *arg)
{
	const char *answer = NULL, *fallback = NULL;

	for (const struct node *n = rules; n != NULL; n = n->next) {
		const struct node *rule = rule_of(n);

		if (is_symbol(rule->first->next, "default"))
			fallback = rule->first->text;
		else if (rule_matches(rule, operation, arg))
			answer = rule->first->text;
	}
	return answer != NULL ? answer : fallback;
}

/* ---- ways to be called ---- */

static char text[TEXT_MAX];

static void keep(const char *program, const char *profile)
{
	const char *slash = strrchr(program, '/');
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof path, "%.*s/profile",
	    slash == NULL ? 0 : (int)(slash - program), program);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	(void)!write(fd, profile, strlen(profile));
	(void)close(fd);
}

static int as_sandbox_exec(int argc, char **argv)
{
	if (argc < 4 || strcmp(argv[1], "-p") != 0) {
		fprintf(stderr, "usage: sandbox-exec -p PROFILE COMMAND...\n");
		return 64;
	}
	(void)check(read_profile(argv[2]));
	(void)signal(SIGXFSZ, SIG_IGN); /* the real one writes nothing */
	keep(argv[0], argv[2]);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)execvp(argv[3], argv + 3);
	fprintf(stderr, "sandbox-exec: execvp() of '%s' failed: %s\n", argv[3], strerror(errno));
	return 71;
}

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const struct node *rules;

	if (argc > 0 && strcmp(slash != NULL ? slash + 1 : argv[0], "sandbox-exec") == 0) {
		name = "sandbox-exec";
		return as_sandbox_exec(argc, argv);
	}
	text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
	rules = check(read_profile(text));
	if (argc == 2 && strcmp(argv[1], "check") == 0) {
		for (; rules != NULL; rules = rules->next)
			print_rule(rule_of(rules));
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "ask") == 0) {
		puts(ask(rules, argv[2], argv[3]));
		return 0;
	}
	fprintf(stderr, "usage: sbpl check | sbpl ask OPERATION ARG\n");
	return 64;
}
