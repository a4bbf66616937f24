/*
 * Everything a user reads about options, made from the one table: --help, the man page, the
 * README table. Pure: table in, text out; no date, so that two builds give the same bytes.
 * Must not know any single option; parsing is in opt.c, completion in opt_complete.c.
 */
#include <stdbool.h>
#include <string.h>

#include "limits.h"
#include "opt.h"
#include "str.h"

#define HELP_COLUMNS 80
#define HELP_TEXT_INDENT 28 /* where the explanation of an option starts */

/* Output that keeps its first failure, so that the text below reads as text. */
struct opt_out {
	struct buf *buf;
	struct err *err;
	int rc;
	size_t column;      /* of help: characters on the current line */
	struct buf scratch; /* of text_*() */
};

static void out_init(struct opt_out *o, struct buf *out, struct err *e)
{
	*o = (struct opt_out){ .buf = out, .err = e };
	buf_init(&o->scratch, LIMIT_SMALL_FILE);
}

static int out_finish(struct opt_out *o)
{
	buf_fini(&o->scratch);
	return o->rc;
}

static void put_n(struct opt_out *o, const char *s, size_t len)
{
	if (o->rc == 0)
		o->rc = buf_put(o->buf, s, len, o->err);
}

static void put(struct opt_out *o, const char *s)
{
	put_n(o, s, strlen(s));
}

static bool is_shown(const struct opt *opt)
{
	return !(opt->flags & (OPT_HIDDEN | OPT_POLICY_ONLY));
}

/* The heading that belongs before opt; NULL while its group goes on. */
static const char *group_start(const struct opt *opt, const char **current)
{
	if (!opt->group || str_eq(opt->group, *current))
		return NULL;
	*current = opt->group;
	return opt->group;
}

static const char *scratch_text(struct opt_out *o)
{
	const char *text = o->rc == 0 ? buf_str(&o->scratch, o->err) : NULL;

	if (!text)
		o->rc = -1;
	return text ? text : "";
}

/* "-t, --timeout DUR"; valid until the next text_*(). */
static const char *text_names(struct opt_out *o, const struct opt *opt)
{
	bool is_optional = opt->flags & OPT_OPTIONAL_ARG;
	const char *arg = opt->arg ? opt->arg : "";
	const char *before_arg = is_optional ? "[=" : *arg ? " " : "";

	buf_reset(&o->scratch);
	if (o->rc == 0 && opt->letter)
		o->rc = buf_printf(&o->scratch, o->err, "-%c, ", opt->letter);
	if (o->rc == 0)
		o->rc = buf_printf(&o->scratch, o->err, "--%s%s%s%s", opt->name, before_arg, arg,
				   is_optional ? "]" : "");
	return scratch_text(o);
}

/* "end the command after this time (default: none; repeatable)"; valid until the next text_*(). */
static const char *text_meaning(struct opt_out *o, const struct opt *opt)
{
	const char *repeats = opt->flags & OPT_REPEATS ? "repeatable" : "";

	buf_reset(&o->scratch);
	if (o->rc == 0)
		o->rc = buf_puts(&o->scratch, opt->help, o->err);
	if (o->rc == 0 && opt->dflt)
		o->rc = buf_printf(&o->scratch, o->err, " (default: %s%s%s)", opt->dflt,
				   *repeats ? "; " : "", repeats);
	else if (o->rc == 0 && *repeats)
		o->rc = buf_printf(&o->scratch, o->err, " (%s)", repeats);
	return scratch_text(o);
}

/* -- lines of a details text ----------------------------------------------------------------- */

enum detail_kind { DETAIL_BLANK, DETAIL_VERBATIM, DETAIL_HEADING, DETAIL_TEXT };

struct detail_line {
	enum detail_kind kind;
	enum detail_kind before; /* kind of the line before */
	const char *text;
	size_t len;
};

/* Take one line off *rest; false at the end. A zeroed line starts. */
static bool detail_next(const char **rest, struct detail_line *line)
{
	if (!*rest || !**rest)
		return false;
	const char *text = *rest;
	line->before = line->kind;
	line->text = text;
	line->len = strcspn(text, "\n");
	*rest = text + line->len + (text[line->len] == '\n');
	if (line->len == 0)
		line->kind = DETAIL_BLANK;
	else if (line->text[0] == ' ')
		line->kind = DETAIL_VERBATIM;
	else if (line->before != DETAIL_TEXT && line->text[line->len - 1] == ':')
		line->kind = DETAIL_HEADING;
	else
		line->kind = DETAIL_TEXT;
	return true;
}

/* -- help ------------------------------------------------------------------------------------ */

static size_t utf8_width(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void help_put(struct opt_out *o, const char *s, size_t len)
{
	put_n(o, s, len);
	o->column += utf8_width(s, len);
}

static void help_newline(struct opt_out *o)
{
	put(o, "\n");
	o->column = 0;
}

static void help_pad(struct opt_out *o, size_t column)
{
	while (o->column < column)
		help_put(o, " ", 1);
}

/* Fill words from the current column on; lines that follow start at indent. Long words break. */
static void help_fill(struct opt_out *o, const char *s, size_t len, size_t indent)
{
	const char *end = s + len;

	for (;;) {
		while (s < end && *s == ' ')
			s++;
		if (s == end)
			return;
		const char *space = memchr(s, ' ', (size_t)(end - s));
		size_t left = (size_t)((space ? space : end) - s);
		if (o->column > indent && o->column + 1 + utf8_width(s, left) > HELP_COLUMNS)
			help_newline(o);
		help_pad(o, o->column > indent ? o->column + 1 : indent);
		while (o->column + utf8_width(s, left) > HELP_COLUMNS) {
			size_t n = str_utf8_floor(s, HELP_COLUMNS - o->column);
			help_put(o, s, n);
			s += n;
			left -= n;
			help_newline(o);
			help_pad(o, indent);
		}
		help_put(o, s, left);
		s += left;
	}
}

static void help_fill_line(struct opt_out *o, const char *s, size_t indent)
{
	help_fill(o, s, strlen(s), indent);
	help_newline(o);
}

static void help_put_option(struct opt_out *o, const struct opt *opt)
{
	const char *names = text_names(o, opt);

	help_pad(o, opt->letter ? 2 : 6); /* long names stand in one column */
	help_fill(o, names, strlen(names), o->column);
	if (o->column + 2 > HELP_TEXT_INDENT)
		help_newline(o);
	help_pad(o, HELP_TEXT_INDENT);
	help_fill_line(o, text_meaning(o, opt), HELP_TEXT_INDENT);
}

static void help_put_details(struct opt_out *o, const char *details)
{
	struct detail_line line = { .kind = DETAIL_BLANK };

	while (detail_next(&details, &line)) {
		if (line.before == DETAIL_TEXT && line.kind != DETAIL_TEXT)
			help_newline(o);
		if (line.kind == DETAIL_TEXT)
			help_fill(o, line.text, line.len, 0);
		else
			put_n(o, line.text, line.len);
		if (line.kind != DETAIL_TEXT)
			help_newline(o);
	}
	if (line.kind == DETAIL_TEXT)
		help_newline(o);
}

int opt_put_help(const struct opt_table *table, struct buf *out, struct err *e)
{
	struct opt_out o;
	const char *group = NULL;
	bool is_first = true;

	out_init(&o, out, e);
	help_fill(&o, "Usage:", 6, 0);
	help_fill(&o, table->applet, strlen(table->applet), 7);
	help_fill_line(&o, table->synopsis, 7);
	help_fill_line(&o, table->summary, 0);
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (!is_shown(opt))
			continue;
		const char *heading = group_start(opt, &group);
		if (heading || is_first)
			help_newline(&o);
		is_first = false;
		if (heading) {
			help_fill(&o, heading, strlen(heading), 0);
			put(&o, ":");
			help_newline(&o);
		}
		help_put_option(&o, opt);
	}
	if (table->details) {
		help_newline(&o);
		help_put_details(&o, table->details);
	}
	return out_finish(&o);
}

/* -- man page (man(7)) ----------------------------------------------------------------------- */

/* Characters that roff would take as its own or turn into typographic ones (groff_char(7)). */
static const char *man_escape(char c)
{
	switch (c) {
	case '\\':
		return "\\e";
	case '-':
		return "\\-";
	case '\'':
		return "\\(aq";
	case '`':
		return "\\(ga";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	case '"':
		return "\\(dq";
	default:
		return NULL;
	}
}

static void man_put_n(struct opt_out *o, const char *s, size_t len)
{
	if (len && *s == '.')
		put(o, "\\&"); /* a dot at the start of a line would be a request */
	for (size_t i = 0; i < len; i++) {
		const char *escape = man_escape(s[i]);
		if (escape)
			put(o, escape);
		else
			put_n(o, s + i, 1);
	}
}

static void man_put(struct opt_out *o, const char *s)
{
	man_put_n(o, s, strlen(s));
}

/* \fFtext\fR: F is B (bold) or I (italic). */
static void man_put_font(struct opt_out *o, const char *font, const char *s)
{
	put(o, "\\f");
	put(o, font);
	man_put(o, s);
	put(o, "\\fR");
}

static void man_put_option(struct opt_out *o, const struct opt *opt)
{
	bool is_optional = opt->flags & OPT_OPTIONAL_ARG;

	put(o, ".TP\n");
	if (opt->letter) {
		put(o, "\\fB\\-");
		put_n(o, &opt->letter, 1);
		put(o, "\\fR, ");
	}
	put(o, "\\fB\\-\\-");
	man_put(o, opt->name);
	put(o, "\\fR");
	if (opt->arg) {
		put(o, is_optional ? "[=" : " ");
		man_put_font(o, "I", opt->arg);
		put(o, is_optional ? "]" : "");
	}
	put(o, "\n");
	man_put(o, text_meaning(o, opt));
	put(o, "\n");
}

static void man_put_heading(struct opt_out *o, const char *s, size_t len)
{
	put(o, ".SH \"");
	for (size_t i = 0; i < len; i++) {
		char c = s[i] >= 'a' && s[i] <= 'z' ? (char)(s[i] - 'a' + 'A') : s[i];
		man_put_n(o, &c, 1);
	}
	put(o, "\"\n");
}

static void man_put_details(struct opt_out *o, const char *details)
{
	struct detail_line line = { .kind = DETAIL_BLANK };
	bool is_example = false;

	while (detail_next(&details, &line)) {
		bool was_example = is_example;
		if (line.kind != DETAIL_BLANK)
			is_example = line.kind == DETAIL_VERBATIM;
		if (was_example && !is_example)
			put(o, ".EE\n");
		if (!was_example && is_example)
			put(o, ".EX\n");
		if (line.kind == DETAIL_HEADING) {
			man_put_heading(o, line.text, line.len - 1);
			continue;
		}
		if (line.kind == DETAIL_TEXT && line.before != DETAIL_TEXT)
			put(o, ".PP\n");
		if (line.kind == DETAIL_BLANK && !is_example)
			continue;
		man_put_n(o, line.text, line.len);
		put(o, "\n");
	}
	if (is_example)
		put(o, ".EE\n");
}

int opt_put_man(const struct opt_table *table, struct buf *out, struct err *e)
{
	struct opt_out o;
	const char *group = NULL;

	out_init(&o, out, e);
	put(&o, ".TH \"");
	man_put(&o, table->applet);
	put(&o, "\" 1 \"\" \"sbx\" \"User Commands\"\n.SH NAME\n");
	man_put(&o, table->applet);
	put(&o, " \\- ");
	man_put(&o, table->summary);
	put(&o, "\n.SH SYNOPSIS\n");
	man_put_font(&o, "B", table->applet);
	put(&o, " ");
	man_put(&o, table->synopsis);
	put(&o, "\n.SH OPTIONS\n");
	for (size_t i = 0; i < table->count; i++) {
		if (!is_shown(&table->opts[i]))
			continue;
		const char *heading = group_start(&table->opts[i], &group);
		if (heading) {
			put(&o, ".SS \"");
			man_put(&o, heading);
			put(&o, "\"\n");
		}
		man_put_option(&o, &table->opts[i]);
	}
	man_put_details(&o, table->details);
	return out_finish(&o);
}

/* -- README table (GitHub flavoured Markdown) ------------------------------------------------ */

/* Inside a code span of a table cell only '|' needs a backslash, elsewhere all that marks text. */
static void md_put(struct opt_out *o, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s))
			put(o, "\\");
		put_n(o, s, 1);
	}
}

int opt_put_markdown(const struct opt_table *table, struct buf *out, struct err *e)
{
	static const char code_special[] = "|";
	static const char text_special[] = "|\\`*_[]<>";
	struct opt_out o;
	const char *group = NULL;

	out_init(&o, out, e);
	put(&o, "| option | meaning |\n|---|---|\n");
	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (!is_shown(opt))
			continue;
		const char *heading = group_start(opt, &group);
		if (heading) {
			put(&o, "| **");
			md_put(&o, heading, text_special);
			put(&o, "** | |\n");
		}
		put(&o, "| `");
		md_put(&o, text_names(&o, opt), code_special);
		put(&o, "` | ");
		md_put(&o, text_meaning(&o, opt), text_special);
		put(&o, " |\n");
	}
	return out_finish(&o);
}
