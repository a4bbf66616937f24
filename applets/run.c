/*
 * sbx-run: options, one run on the loop, its result. The sandbox itself is lib/sandbox; here is
 * only what a command line runner adds: signals forwarded, a terminal in raw mode, notices, the
 * result on stdout or in a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/base/limits.h"
#include "../lib/base/log.h"
#include "../lib/base/mem.h"
#include "../lib/sandbox/root.h"
#include "../lib/sandbox/sandbox.h"
#include "../lib/sandbox/seccomp_file.h"
#include "../lib/sys/fd.h"
#include "../lib/sys/loop.h"
#include "../lib/sys/proc.h"
#include "../lib/sys/tty.h"
#include "applets.h"
#include "out.h"
#include "run_opts.h"

struct run_state {
	struct run_options opts;
	struct strv env; /* copies: our own environment and arguments are wiped, as pid 1 inside
			    shows them */
	struct strv argv;
	int result_fd; /* --result; -1: none */
	struct loop loop;
	struct sandbox_run *run;
	unsigned interrupts; /* INT, TERM and HUP so far */
	int forwarded;       /* the last of them */
	bool is_done;
};

static void state_init(struct run_state *s)
{
	memset(s, 0, sizeof *s);
	run_options_init(&s->opts);
	s->result_fd = -1;
}

/* The process ends now and its memory with it: giving that back piece by piece takes time that
 * somebody waits for. */
static void state_release(struct run_state *s)
{
	sandbox_run_release(s->run);
	fd_close(&s->result_fd);
}

static int print_seccomp(const struct run_options *o, struct err *e)
{
	unsigned flags = 0; /* what the namespace backend installs */
	struct seccomp_rules rules;
	struct buf out;
	int rc;

	if (o->policy.seccomp != NULL && strcmp(o->policy.seccomp, "none") == 0)
		return out_text(o->json ? "null\n" : "no filter\n", e);
	seccomp_rules_init(&rules);
	buf_init(&out, LIMIT_FRAME);
	rc = o->policy.seccomp != NULL ?
		 seccomp_file_load(o->policy.root, o->policy.seccomp, &rules, e) :
		 seccomp_rules_builtin(&rules, flags, e);
	if (rc == 0)
		rc = o->json ? seccomp_put_oci_json(&rules, &out, e) :
			       seccomp_put_text(&rules, &out, e);
	if (rc == 0 && out.len > 0 && out.data[out.len - 1] != '\n')
		rc = buf_putc(&out, '\n', e);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	seccomp_rules_fini(&rules);
	return rc;
}

/* The destination is opened before anything runs: a result that cannot be written must not cost a
 * run. */
static int open_result(struct run_state *s, struct err *e)
{
	const char *to = s->opts.result;
	uint64_t n;
	int flags;

	if (to == NULL)
		return 0;
	if (strncmp(to, "fd:", 3) != 0) {
		s->result_fd = root_open_named(&s->opts.policy, "--result", to,
		    O_WRONLY | O_CREAT | O_TRUNC, 0644, e);
		return s->result_fd >= 0 ? 0 : -1;
	}
	if (str_parse_u64(to + 3, 1 << 20, "--result fd:N", &n, e) != 0)
		return -1;
	flags = fcntl((int)n, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return err_set(
		    e, ERR_USAGE, "--result %s: this descriptor is not open for writing", to);
	s->result_fd = fcntl((int)n, F_DUPFD_CLOEXEC, 3);
	return s->result_fd >= 0 ? 0 : err_errno(e, ERR_USAGE, "--result %s", to);
}

static void on_done(struct sandbox_run *run, void *ctx)
{
	struct run_state *s = ctx;

	(void)run;
	s->is_done = true;
	loop_stop(&s->loop);
}

static void on_forward(struct loop *l, int signo, void *ctx)
{
	struct run_state *s = ctx;

	(void)l;
	if (s->run == NULL)
		return;
	if (signo == SIGINT || signo == SIGTERM || signo == SIGHUP) {
		s->forwarded = signo;
		if (s->interrupts++ > 0) {
			sandbox_run_cancel(s->run, true);
			return;
		}
	}
	sandbox_run_signal(s->run, signo);
}

/* The command is in a session of its own, where SIGTSTP does nothing (an orphaned group): stop it
 * for sure, then us. */
static void on_stop(struct loop *l, int signo, void *ctx)
{
	struct run_state *s = ctx;

	(void)l;
	(void)signo;
	sandbox_run_signal(s->run, SIGSTOP);
	(void)kill(getpid(), SIGSTOP);
}

static void on_window(struct loop *l, int signo, void *ctx)
{
	struct run_state *s = ctx;

	(void)l;
	if (s->opts.policy.want_tty)
		sandbox_run_resize(s->run);
	else
		sandbox_run_signal(s->run, signo);
}

static int handle_signals(struct run_state *s, struct err *e)
{
	static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
		SIGCONT };

	loop_ignore_signal(SIGPIPE);
	loop_ignore_signal(
	    SIGXFSZ); /* ulimit -f of the caller: a failed write that is told, not our death */
	for (size_t i = 0; i < MEM_COUNT(forwarded); i++)
		if (loop_on_signal(&s->loop, forwarded[i], on_forward, s, e) != 0)
			return -1;
	if (loop_on_signal(&s->loop, SIGTSTP, on_stop, s, e) != 0)
		return -1;
	return loop_on_signal(&s->loop, SIGWINCH, on_window, s, e);
}

static void fill_request(const struct run_state *s, char **argv, struct sandbox_request *rq)
{
	const struct run_options *o = &s->opts;

	memset(rq, 0, sizeof *rq);
	rq->policy = &o->policy;
	rq->argv = argv;
	rq->env = s->env.v;
	rq->output = o->json ? OUTPUT_CAPTURE : OUTPUT_STREAM;
	rq->max_output_bytes = o->policy.is_max_output_set ? o->policy.max_output_bytes :
			       o->json                     ? LIMIT_OUTPUT_DEFAULT :
							     UINT64_MAX;
	rq->stdin_mode = o->policy.stdin_mode != STDIN_UNSET ? o->policy.stdin_mode :
			 o->json                             ? STDIN_NULL :
							       STDIN_INHERIT;
	rq->stdin_fd = STDIN_FILENO;
	rq->stdout_fd = STDOUT_FILENO;
	rq->stderr_fd = STDERR_FILENO;
	rq->is_only_run = true;
}

/* --env TOKEN=x and the paths of --hide are nobody's business; argv[0] stays, for ps. */
static void wipe_arguments(char **argv)
{
	for (char **v = argv + 1; *v != NULL; v++)
		mem_wipe(*v, strlen(*v));
}

static int copy_and_wipe(
    struct run_state *s, char **argv, char **command, char **envp, struct err *e)
{
	for (char **v = envp; *v != NULL; v++)
		if (strv_add(&s->env, *v, e) != 0)
			return -1;
	for (char **v = command; *v != NULL; v++)
		if (strv_add(&s->argv, *v, e) != 0)
			return -1;
	env_wipe_own(envp);
	wipe_arguments(argv);
	proc_set_dumpable(false);
	return 0;
}

static void log_command(char **argv)
{
	struct buf line;

	if (log_level < LOG_ARGV)
		return;
	buf_init(&line, LIMIT_FRAME);
	if (env_put_redacted_argv(&line, argv, NULL) == 0)
		log_write(LOG_ARGV, "command: %.*s", (int)line.len, (const char *)line.data);
	buf_fini(&line);
}

static void report_env(const struct run_state *s, const struct env_dropped *dropped, size_t n)
{
	enum log_level level = s->opts.want_env_report ? LOG_ERROR : LOG_TRACE;

	for (size_t i = 0; i < n; i++)
		log_write(level, "env: dropped %s (%s)", dropped[i].name, dropped[i].rule);
}

/* The layers whose lack is told: all with auto. Who named a backend knows what it gives, and with
 * --best-effort hears of what else was asked for. */
static uint32_t told_layers(const struct policy *p)
{
	/* limits are missing only where they were given */
	uint32_t told = LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU);

	if (p->backend == NULL || strcmp(p->backend, "auto") == 0)
		return LAYER_ALL;
	if (!p->is_best_effort)
		return 0;
	if (p->mount_count != 0)
		told |= LAYER_BIT(LAYER_VIEW);
	if (p->is_net_set)
		told |= LAYER_BIT(LAYER_NET_NS);
	if (p->seccomp != NULL && strcmp(p->seccomp, "none") != 0)
		told |= LAYER_BIT(LAYER_SECCOMP);
	return told;
}

/* When not everything could be given, one line says what and why. */
static void report_missing(const struct run_state *s, const struct sandbox_result *r)
{
	uint32_t missing = r->missing & told_layers(&s->opts.policy);
	char text[512] = "";
	const char *why = NULL;

	if (r->error.kind != ERR_NONE || missing == 0)
		return;
	for (int i = 0; i < LAYER_COUNT; i++) {
		size_t len = strlen(text);

		if ((missing & LAYER_BIT(i)) == 0)
			continue;
		(void)snprintf(text + len, sizeof text - len, "%s%s", len == 0 ? "" : " ",
		    layer_name((enum layer)i));
		if (why == NULL)
			why = r->why[i];
	}
	log_warn("backend %s, without %s (%s)", r->backend, text, why != NULL ? why : "unknown");
}

static int put_result(const struct run_state *s, const struct sandbox_result *r, struct err *e)
{
	struct buf out;
	int rc = 0;

	if (!s->opts.json && s->result_fd < 0)
		return 0;
	buf_init(&out, LIMIT_RESULT_JSON);
	if (sandbox_result_put_json(r, &out, e) != 0 || buf_putc(&out, '\n', e) != 0) {
		buf_reset(&out);
		rc = -1;
	}
	/* one that takes nothing does not keep it from the other */
	if (s->result_fd >= 0 && fd_write_all(s->result_fd, out.data, out.len) != 0)
		rc = err_errno(e, ERR_IO, "--result %s", s->opts.result);
	if (s->opts.json && out_buf(&out, e) != 0)
		rc = -1;
	buf_fini(&out);
	return rc;
}

/* The time was up, or we were told to end, before the command was started: the status is that of a
 * timeout or of the signal, the line says more. */
static int report_early_end(const struct sandbox_result *r)
{
	log_write(LOG_ERROR, "%s", r->error.msg);
	return sandbox_result_status(r);
}

static int conclude(const struct run_state *s, struct err *e)
{
	const struct sandbox_result *r = sandbox_run_result(s->run);
	const char *notice = sandbox_run_notice(s->run);
	unsigned long long dropped_bytes = r->out.omitted_bytes;

	dropped_bytes += r->err.omitted_bytes;
	if (notice != NULL && r->error.kind == ERR_NONE)
		log_warn("%s", notice);
	report_env(s, r->env_dropped, r->env_dropped_count);
	report_missing(s, r);
	if (!s->opts.json && dropped_bytes != 0)
		log_warn("--max-output: the last %llu bytes were dropped", dropped_bytes);
	if (r->error.kind == ERR_NONE)
		log_write(LOG_LIFECYCLE, "ended: %s, status %d, %llu ms", reason_name(r->reason),
		    r->exit_code, (unsigned long long)r->duration_ms);
	if (put_result(s, r, e) != 0)
		return -1;
	if (sandbox_run_stdout_is_gone(s->run) && r->error.kind == ERR_NONE)
		return err_set(e, ERR_STDOUT_GONE, "nobody reads our output");
	if (r->error.kind != ERR_NONE) {
		*e = r->error;
		return r->timed_out || r->end_signal != 0 ? report_early_end(r) : -1;
	}
	return sandbox_result_status(r);
}

static int run_command(struct run_state *s, char **argv, struct err *e)
{
	struct sandbox_request rq;
	struct tty_saved tty = TTY_SAVED_INIT;
	int rc;

	fill_request(s, argv, &rq);
	log_command(argv);
	loop_init(&s->loop);
	if (handle_signals(s, e) != 0)
		return -1;
	if (s->opts.policy.want_tty && tty_make_raw(STDIN_FILENO, &tty, e) != 0)
		return -1;
	s->run = sandbox_start(&s->loop, &rq, on_done, s, e);
	rc = s->run == NULL ? -1 : 0;
	while (rc == 0 && !s->is_done)
		rc = loop_step(&s->loop, e);
	tty_restore(&tty);
	return rc != 0 ? -1 : conclude(s, e);
}

static int explain(struct run_state *s, char **argv, struct err *e)
{
	struct sandbox_request rq;
	struct env_block env;
	struct buf out;
	int rc;

	fill_request(s, argv, &rq);
	buf_init(&out, LIMIT_FRAME);
	rc = sandbox_explain(&rq, s->opts.json, &out, e);
	if (rc == 0 && s->opts.json)
		rc = buf_putc(&out, '\n', e);
	if (rc == 0)
		rc = env_build(rq.policy, rq.env, &env, e);
	if (rc == 0) {
		report_env(s, env.dropped, env.dropped_count);
		env_block_fini(&env);
		rc = out_buf(&out, e);
	}
	buf_fini(&out);
	return rc;
}

static int print_help(struct err *e)
{
	struct buf out;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	rc = opt_put_help(&run_opt_table, &out, e);
	if (rc == 0)
		rc = out_buf(&out, e);
	buf_fini(&out);
	return rc;
}

static int run_with_options(struct run_state *s, int argc, char **argv, char **envp, struct err *e)
{
	int first =
	    policy_parse_argv(&run_opt_table, argc, argv, offsetof(struct run_options, policy_path),
		&s->opts, run_options_init, run_options_fini, e);

	if (first < 0)
		return -1;
	log_level = s->opts.quiet > 0 ?
			(s->opts.quiet > 1 ? LOG_QUIET : LOG_ERROR) :
			(enum log_level)(LOG_ERROR + (s->opts.verbose > 3 ? 3 : s->opts.verbose));
	log_want_notices = s->opts.quiet == 0;
	if (s->opts.want_help)
		return print_help(e);
	if (s->opts.want_version)
		return out_text("sbx-run " SBX_VERSION "\n", e);
	if (run_options_check(&s->opts, e) != 0)
		return -1;
	if (s->opts.want_print_seccomp)
		return print_seccomp(&s->opts, e);
	if (first == argc)
		return err_set(e, ERR_USAGE, "no command given; sbx-run --help");
	if (open_result(s, e) != 0 || copy_and_wipe(s, argv, argv + first, envp, e) != 0)
		return -1;
	return s->opts.want_explain ? explain(s, s->argv.v, e) : run_command(s, s->argv.v, e);
}

/*
 * A failure before there was a run: with --json its result is an object like any other. The failure
 * may have been one of the options or the policy file: then the command line is read once more for
 * what it says of the result.
 */
static int put_early_failure(struct run_state *s, int argc, char **argv, const struct err *e)
{
	struct sandbox_result r;
	struct err ignored = ERR_INIT;
	int status = -1;

	if (!s->opts.json && s->result_fd < 0) {
		run_options_fini(&s->opts);
		run_options_init(&s->opts);
		(void)opt_parse(&run_opt_table, argc, argv, &s->opts, &ignored);
		(void)open_result(s, &ignored);
		if (s->opts.want_explain)
			return -1;
	}
	sandbox_result_init(&r);
	r.error = *e;
	r.end_signal = loop_ending_signal();
	if (r.end_signal != 0) {
		r.reason = REASON_CANCELLED;
		status = report_early_end(&r);
	}
	(void)put_result(s, &r, &ignored);
	sandbox_result_fini(&r);
	return status;
}

int run_main(int argc, char **argv, char **envp, struct err *e)
{
	static struct run_state s; /* static: what it holds to the end is no leak */
	int status;

	state_init(&s);
	status = run_with_options(&s, argc, argv, envp, e);
	if (status < 0 && s.run == NULL && e->kind != ERR_STDOUT_GONE && !s.opts.want_explain)
		status = put_early_failure(&s, argc, argv, e);
	state_release(&s);
	return status;
}
