/*
 * The only main(): find the applet by argv[0] (or by the first argument of sbx itself), run it,
 * print the error once, map it to an exit status. Does nothing before that which an applet might
 * not want.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/assets/assets.h"
#include "../lib/base/limits.h"
#include "../lib/base/log.h"
#include "../lib/base/mem.h"
#include "../lib/base/opt.h"
#include "../lib/base/str.h"
#include "../lib/sandbox/exec.h"
#include "../lib/sys/fd.h"
#include "../lib/sys/relro.h"
#include "../lib/sys/self.h"
#include "applets.h"
#include "out.h"
#include "probe_opts.h"
#include "run_opts.h"

#define EXIT_UNKNOWN_APPLET 127

struct applet {
	const char *name; /* "sbx-run" */
	const char *what;
	int (*run)(int argc, char **argv, char **envp, struct err *e);
	bool is_hidden;
};

static const struct applet applets[] = {
#define APPLET(name, what) { "sbx-" #name, what, name##_main, false },
#define HIDDEN(name, what) { "sbx-" #name, what, name##_main, true },
#include "applets.def"
#undef APPLET
#undef HIDDEN
};

static const struct applet *applet_find(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash != NULL ? slash + 1 : name;
	for (size_t i = 0; i < MEM_COUNT(applets); i++)
		if (strcmp(applets[i].name, name) == 0 || strcmp(applets[i].name + 4, name) == 0)
			return &applets[i];
	return NULL;
}

static int put_applets(struct buf *out, const char *prefix, struct err *e)
{
	for (size_t i = 0; i < MEM_COUNT(applets); i++)
		if (!applets[i].is_hidden && buf_printf(out, e, "%s%-12s %s\n", prefix,
						 applets[i].name, applets[i].what) != 0)
			return -1;
	return 0;
}

static int sbx_help(struct err *e)
{
	struct buf out;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	rc = buf_puts(&out,
	    "usage: sbx APPLET [ARG...]      run an applet; a link named like one does too\n"
	    "       sbx --list               names of the applets\n"
	    "       sbx --install [-s] DIR   a copy and links in DIR (-s: symbolic links)\n"
	    "       sbx --show-asset [NAME]  print a built-in file; without NAME their names\n"
	    "       sbx --version | --help\n\napplets:\n",
	    e);
	if (rc == 0)
		rc = put_applets(&out, "  ", e);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	return rc;
}

static int sbx_list(struct err *e)
{
	struct buf out;
	int rc = 0;

	buf_init(&out, LIMIT_SMALL_FILE);
	for (size_t i = 0; i < MEM_COUNT(applets) && rc == 0; i++)
		if (!applets[i].is_hidden)
			rc = buf_printf(&out, e, "%s\n", applets[i].name);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	return rc;
}

/* before: what DIR/sbx was, 0 for nothing: its hard links are ours to replace, as symbolic links to
 * sbx are. */
static int install_link(
    const char *dir, const char *name, bool is_symbolic, const struct stat *before, struct err *e)
{
	MEM_AUTOFREE char *from = mem_printf(e, "%s/sbx", dir);
	MEM_AUTOFREE char *to = mem_printf(e, "%s/%s", dir, name);
	struct stat st, now;

	if (from == NULL || to == NULL)
		return -1;
	if (stat(from, &now) != 0)
		return err_errno(e, ERR_IO, "--install: %s", from);
	if (lstat(to, &st) == 0 && !S_ISLNK(st.st_mode) &&
	    (st.st_dev != before->st_dev || st.st_ino != before->st_ino) &&
	    (st.st_dev != now.st_dev || st.st_ino != now.st_ino))
		return err_set(
		    e, ERR_USAGE, "--install: %s exists and is not ours; remove it first", to);
	if (unlink(to) != 0 && errno != ENOENT)
		return err_errno(e, ERR_IO, "--install: %s", to);
	if ((is_symbolic ? symlink("sbx", to) : link(from, to)) != 0)
		return err_errno(e, ERR_IO, "--install: %s", to);
	return 0;
}

/* The program itself as DIR/sbx, unless it is there already; written beside and renamed, so that it
 * is never half there. */
static int install_program(const char *dir, struct stat *before, struct err *e)
{
	MEM_AUTOFREE char *to = mem_printf(e, "%s/sbx", dir);
	MEM_AUTOFREE char *temp = mem_printf(e, "%s/.sbx.%d", dir, (int)getpid());
	char path[PATH_MAX];
	struct stat self;

	if (to == NULL || temp == NULL)
		return -1;
	if (self_path(NULL, path, e) != 0)
		return -1;
	if (stat(path, &self) != 0)
		return err_errno(e, ERR_IO, "--install: %s", path);
	if (stat(to, before) == 0 && before->st_dev == self.st_dev && before->st_ino == self.st_ino)
		return 0;
	if (out_copy_file(path, temp, 0755, e) != 0 || rename(temp, to) != 0) {
		if (e->kind == ERR_NONE)
			(void)err_errno(e, ERR_IO, "--install: %s", to);
		else if (strncmp(e->msg, temp, strlen(temp)) == 0) /* a name that nobody knows */
			(void)err_sys(e, ERR_IO, e->errnum, "--install: %s", dir);
		(void)unlink(temp);
		return -1;
	}
	return 0;
}

static int sbx_install(int argc, char **argv, struct err *e)
{
	bool is_symbolic = argc > 2 && strcmp(argv[2], "-s") == 0;
	const char *dir = argv[is_symbolic ? 3 : 2];
	struct stat before = { 0 };

	if (dir == NULL || argc > (is_symbolic ? 4 : 3) || dir[0] == '-')
		return err_set(e, ERR_USAGE, "usage: sbx --install [-s] DIR");
	if (install_program(dir, &before, e) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(applets); i++)
		if (!applets[i].is_hidden &&
		    install_link(dir, applets[i].name, is_symbolic, &before, e) != 0)
			return -1;
	return 0;
}

static int sbx_show_asset(const char *name, struct err *e)
{
	struct buf out;
	int rc = 0;
	bool is_found = name == NULL;

	buf_init(&out, LIMIT_FRAME);
	for (const struct asset *a = asset_table; a->name != NULL && rc == 0; a++) {
		if (name == NULL)
			rc = buf_printf(&out, e, "%s\n", a->name);
		else if (strcmp(a->name, name) == 0) {
			is_found = true;
			rc = buf_put(&out, a->data, a->size_bytes, e);
		}
	}
	if (rc == 0 && !is_found)
		rc = err_set(e, ERR_USAGE,
		    "--show-asset: no asset \"%s\"; without a name they are listed", name);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	return rc;
}

/*
 * Manual pages and the like of an option table, for the build: `sbx --show-man sbx-run`. Hidden in
 * help, as the pages are installed.
 */
static int sbx_show_docs(const char *what, const char *applet, struct err *e)
{
	static const struct opt_table *const tables[] = { &probe_opt_table, &run_opt_table };
	struct buf out;
	int rc;

	for (size_t i = 0; i < MEM_COUNT(tables); i++) {
		if (!str_eq(tables[i]->applet, applet))
			continue;
		buf_init(&out, LIMIT_FRAME);
		if (strcmp(what, "--show-man") == 0)
			rc = opt_put_man(tables[i], &out, e);
		else if (strcmp(what, "--show-completion") == 0)
			rc = opt_put_completion(tables[i], &out, e);
		else
			rc = opt_put_markdown(tables[i], &out, e);
		if (rc == 0)
			rc = out_buf(&out, e);
		buf_fini(&out);
		return rc;
	}
	return err_set(
	    e, ERR_USAGE, "%s: no option table \"%s\"", what, applet == NULL ? "" : applet);
}

static int sbx_own_option(int argc, char **argv, struct err *e)
{
	const char *o = argv[1];

	if (strcmp(o, "--help") == 0 || strcmp(o, "-h") == 0)
		return sbx_help(e);
	if (strcmp(o, "--list") == 0)
		return sbx_list(e);
	if (strcmp(o, "--version") == 0)
		return out_text("sbx " SBX_VERSION "\n", e);
	if (strcmp(o, "--install") == 0)
		return sbx_install(argc, argv, e);
	if (strcmp(o, "--show-asset") == 0)
		return sbx_show_asset(argv[2], e);
	if (strcmp(o, "--show-man") == 0 || strcmp(o, "--show-completion") == 0 ||
	    strcmp(o, "--show-markdown") == 0)
		return sbx_show_docs(o, argv[2], e);
	return err_set(e, ERR_USAGE, "unknown option %s; sbx --help", o);
}

static void put_unknown_applet(const char *name)
{
	char known[256] = "";

	for (size_t i = 0; i < MEM_COUNT(applets); i++) {
		size_t len = strlen(known);

		if (!applets[i].is_hidden)
			(void)snprintf(known + len, sizeof known - len, "%s%s", len == 0 ? "" : " ",
			    applets[i].name);
	}
	log_write(LOG_ERROR, "no applet \"%s\"; there are: %s", name, known);
}

/* argv[0], or for any other name the first argument; *argv moves on to the applet's own. NULL: sbx
 * itself. */
static const struct applet *choose_applet(int *argc, char ***argv)
{
	const struct applet *a = *argc > 0 ? applet_find((*argv)[0]) : NULL;

	/* whatever our file is called: a hard link to it may be all that a tool is given */
	if (*argc > 1 && strcmp((*argv)[1], EXEC_STEP_OPTION) == 0) {
		(*argc)--;
		(*argv)++;
		return applet_find("sbx-exec");
	}
	if (a != NULL || *argc < 2)
		return a;
	a = applet_find((*argv)[1]);
	if (a != NULL) {
		(*argc)--;
		(*argv)++;
	}
	return a;
}

int main(int argc, char **argv, char **envp)
{
	struct err e = ERR_INIT;
	const struct applet *a = choose_applet(&argc, &argv);
	int status;

	log_set_name(a != NULL ? a->name : "sbx");
	if (relro_protect(&e) != 0 || fd_sanitize_std(&e) != 0) {
		status = -1;
	} else if (a != NULL) {
		status = a->run(argc, argv, envp, &e);
	} else if (argc > 1 && argv[1][0] != '-') {
		put_unknown_applet(argv[1]);
		return EXIT_UNKNOWN_APPLET;
	} else {
		status = argc > 1 ? sbx_own_option(argc, argv, &e) : sbx_help(&e);
	}
	if (status >= 0)
		return status;
	if (e.kind != ERR_STDOUT_GONE)
		log_write(LOG_ERROR, "%s", e.msg);
	return err_exit_status(&e);
}
