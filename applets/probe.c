/*
 * sbx-probe: what this machine can really enforce. Everything is in lib/sandbox/probe.c; here are
 * options, the choice of text or JSON, and the exit status: 0, or 1 when what was required is not
 * there.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/base/limits.h"
#include "../lib/base/log.h"
#include "../lib/base/mem.h"
#include "../lib/policy/layers.h"
#include "../lib/sandbox/probe.h"
#include "../lib/sys/loop.h"
#include "../lib/sys/self.h"
#include "applets.h"
#include "out.h"
#include "probe_opts.h"

static int probe_parse_require(void *target, const char *value, struct err *e)
{
	struct probe_options *o = target;
	uint32_t bits;

	if (layer_parse_list(value, &bits, e) != 0)
		return -1;
	o->require |= bits;
	return 0;
}

#define AT(member) .offset = offsetof(struct probe_options, member)

static const struct opt probe_opts[] = {
	{ .name = "json",
	    .type = OPT_FLAG,
	    AT(json),
	    .group = "Options",
	    .help = "print the report as JSON" },
	{ .name = "backend",
	    .letter = 'b',
	    .type = OPT_STRING,
	    AT(backend),
	    .arg = "NAME",
	    .help = "try this backend only; exit status 1 if it does not work" },
	{ .name = "require",
	    .type = OPT_FUNC,
	    .arg = "LAYER,...",
	    .flags = OPT_REPEATS,
	    .parse = probe_parse_require,
	    .help = "exit status 1 if one of these layers does not work here" },
	{ .name = "help",
	    .letter = 'h',
	    .type = OPT_FLAG,
	    AT(want_help),
	    .help = "print this text" },
	{ .name = "version", .type = OPT_FLAG, AT(want_version), .help = "print the version" },
};

const struct opt_table probe_opt_table = {
	.applet = "sbx-probe",
	.synopsis = "[options]",
	.summary = "what this machine can really enforce, found out by doing it",
	.details = "Each layer is tried in a child process, each backend by a real run; nothing is "
		   "concluded from version "
		   "numbers. For what does not work the reason is given, and what can be done.\n"
		   "\n"
		   "Exit status:\n"
		   "\n"
		   "  0    everything that was required works\n"
		   "  1    a layer of --require or the backend of --backend does not work\n"
		   "  125  wrong options, or the probe itself failed\n",
	.opts = probe_opts,
	.count = MEM_COUNT(probe_opts),
};

static int probe_status(const struct probe_options *o, const struct probe_report *r)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((o->require & LAYER_BIT(i)) != 0 && !r->layers[i].works)
			return 1;
	for (size_t i = 0;
	     o->backend != NULL && strcmp(o->backend, "auto") != 0 && i < r->backend_count; i++)
		if (!r->backends[i].works)
			return 1;
	return r->choice.works ? 0 : 1;
}

static int probe_report(const struct probe_options *o, char *const *envp, struct err *e)
{
	char self[PATH_MAX];
	struct probe_report *r = mem_calloc(1, sizeof *r, e);
	struct buf out;
	int rc;

	if (r == NULL)
		return -1;
	if (self_path(NULL, self, e) != 0) {
		free(r);
		return -1;
	}
	/* not the caller's folder: the runs get an empty one of their own, and our program lies
	 * outside of it */
	if (chdir("/") != 0) {
		free(r);
		return err_errno(e, ERR_SETUP, "change to /");
	}
	buf_init(&out, LIMIT_FRAME);
	rc = probe_run(r, o->backend, self, envp, e);
	if (rc == 0)
		rc = o->json ? probe_put_json(r, &out, e) :
			       probe_put_text(r, isatty(STDOUT_FILENO) == 1, &out, e);
	if (rc == 0 && o->json)
		rc = buf_putc(&out, '\n', e);
	if (rc == 0)
		rc = out_buf(&out, e);
	if (rc == 0)
		rc = probe_status(o, r);
	buf_fini(&out);
	free(r);
	return rc;
}

static int probe_help(struct err *e)
{
	struct buf out;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	rc = opt_put_help(&probe_opt_table, &out, e);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	return rc;
}

int probe_main(int argc, char **argv, char **envp, struct err *e)
{
	struct probe_options o;
	int rc;

	memset(&o, 0, sizeof o);
	loop_ignore_signal(SIGPIPE);
	rc = opt_parse(&probe_opt_table, argc, argv, &o, e);
	if (rc >= 0 && rc < argc)
		rc =
		    err_set(e, ERR_USAGE, "unexpected argument \"%s\"; sbx-probe --help", argv[rc]);
	if (rc >= 0) {
		if (o.want_help)
			rc = probe_help(e);
		else if (o.want_version)
			rc = out_text("sbx-probe " SBX_VERSION "\n", e);
		else
			rc = probe_report(&o, envp, e);
	}
	free(o.backend);
	return rc;
}
