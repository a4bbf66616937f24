/*
 * The bash completion script of an applet, made from its option table: option names, the values
 * of options that list them ("none|loopback|host"), commands at the first operand; everything
 * else is bash's own file name completion. Pure: table in, text out.
 */
#include <string.h>

#include "opt.h"
#include "str.h"

/* bash splits "--net=none" at '=' into three words (COMP_WORDBREAKS), hence the looks for "=". */
static const char walk_start[] =
	"()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} i=1 opt='' words=''\n"
	"\tCOMPREPLY=()\n"
	"\t[[ $cur == = ]] && cur=''\n"
	"\twhile ((i < COMP_CWORD)); do\n"
	"\t\topt=${COMP_WORDS[i]}\n"
	"\t\ti=$((i + 1))\n"
	"\t\tcase $opt in\n"
	"\t\t--) break ;;\n"
	"\t\t";
static const char after_value_names[] =
	") ;;\n"
	"\t\t";
static const char after_optional_names[] =
	") [[ ${COMP_WORDS[i]} == = ]] || continue ;;\n"
	"\t\t-*) continue ;;\n"
	"\t\t*) return ;;\n"
	"\t\tesac\n"
	"\t\tif ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i]} == = ]]; then i=$((i + 1)); fi\n"
	"\t\tif ((i < COMP_CWORD)); then\n"
	"\t\t\ti=$((i + 1))\n"
	"\t\t\tcontinue\n"
	"\t\tfi\n"
	"\t\tcase $opt in\n";
static const char after_value_cases[] =
	"\t\tesac\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\t\treturn\n"
	"\tdone\n"
	"\tif [[ $opt != -- && $cur == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W '";
static const char after_all_names[] =
	"' -- \"$cur\")\n";
static const char command_case[] =
	"\telif ((i == COMP_CWORD)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n";
static const char function_end[] =
	"\tfi\n"
	"}\n";

static bool is_offered(const struct opt *opt)
{
	return !(opt->flags & (OPT_HIDDEN | OPT_POLICY_ONLY));
}

static int put_separator(struct buf *out, const char *separator, bool *is_first, struct err *e)
{
	bool want_none = *is_first;

	*is_first = false;
	return want_none ? 0 : buf_puts(out, separator, e);
}

/* Names of all options that is_wanted picks, each with its dashes. */
static int put_names(const struct opt_table *table, bool (*is_wanted)(const struct opt *opt),
		     const char *separator, struct buf *out, struct err *e)
{
	bool is_first = true;

	for (size_t i = 0; i < table->count; i++) {
		const struct opt *opt = &table->opts[i];
		if (!is_offered(opt) || !is_wanted(opt))
			continue;
		if (opt->letter && (put_separator(out, separator, &is_first, e) < 0 ||
				    buf_printf(out, e, "-%c", opt->letter) < 0))
			return -1;
		if (put_separator(out, separator, &is_first, e) < 0 ||
		    buf_printf(out, e, "--%s", opt->name) < 0)
			return -1;
	}
	/* A case pattern may not be empty; no word is "-=". */
	return is_first ? buf_puts(out, "-=", e) : 0;
}

static bool is_any(const struct opt *opt)
{
	(void)opt;
	return true;
}

static bool has_value(const struct opt *opt)
{
	return opt_takes_value(opt) && !(opt->flags & OPT_OPTIONAL_ARG);
}

static bool has_optional_value(const struct opt *opt)
{
	return opt_takes_value(opt) && opt->flags & OPT_OPTIONAL_ARG;
}

/* "none loopback" from "none|loopback|FILE": only words that the shell leaves alone. */
static int put_values(const char *arg, struct buf *out, struct err *e)
{
	bool is_first = true;

	while (*arg) {
		size_t len = strcspn(arg, "|");
		if (len && strspn(arg, "abcdefghijklmnopqrstuvwxyz0123456789_-") >= len &&
		    (put_separator(out, " ", &is_first, e) < 0 || buf_put(out, arg, len, e) < 0))
			return -1;
		arg += len;
		arg += *arg == '|';
	}
	return 0;
}

/* "		-n | --net) words='none loopback host' ;;" */
static int put_value_case(const struct opt *opt, struct buf *out, struct err *e)
{
	if (!is_offered(opt) || !opt_takes_value(opt) || !opt->arg || !strchr(opt->arg, '|'))
		return 0;
	if (buf_puts(out, "\t\t", e) < 0 ||
	    (opt->letter && buf_printf(out, e, "-%c | ", opt->letter) < 0) ||
	    buf_printf(out, e, "--%s) words='", opt->name) < 0 ||
	    put_values(opt->arg, out, e) < 0)
		return -1;
	return buf_puts(out, "' ;;\n", e);
}

/* "_sbx_run" from "sbx-run" */
static int put_function_name(const char *applet, struct buf *out, struct err *e)
{
	if (buf_putc(out, '_', e) < 0)
		return -1;
	for (; *applet; applet++)
		if (buf_putc(out, *applet == '-' ? '_' : *applet, e) < 0)
			return -1;
	return 0;
}

static int put_walk(const struct opt_table *table, struct buf *out, struct err *e)
{
	if (buf_puts(out, walk_start, e) < 0 || put_names(table, has_value, " | ", out, e) < 0 ||
	    buf_puts(out, after_value_names, e) < 0 ||
	    put_names(table, has_optional_value, " | ", out, e) < 0 ||
	    buf_puts(out, after_optional_names, e) < 0)
		return -1;
	for (size_t i = 0; i < table->count; i++)
		if (put_value_case(&table->opts[i], out, e) < 0)
			return -1;
	return buf_puts(out, after_value_cases, e);
}

int opt_put_completion(const struct opt_table *table, struct buf *out, struct err *e)
{
	bool runs_commands = str_find(table->synopsis, "COMMAND") != NULL;

	if (buf_printf(out, e, "# bash completion for %s\n", table->applet) < 0 ||
	    put_function_name(table->applet, out, e) < 0 || put_walk(table, out, e) < 0 ||
	    put_names(table, is_any, " ", out, e) < 0 || buf_puts(out, after_all_names, e) < 0 ||
	    (runs_commands && buf_puts(out, command_case, e) < 0) ||
	    buf_puts(out, function_end, e) < 0 || buf_puts(out, "complete -o default -F ", e) < 0 ||
	    put_function_name(table->applet, out, e) < 0)
		return -1;
	return buf_printf(out, e, " %s\n", table->applet);
}
