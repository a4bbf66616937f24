/* The only poll of the program; see loop.h. */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "clock.h"
#include "loop_os.h"

struct loop_signals loop_original_signals;

static bool is_mask_saved;
static volatile sig_atomic_t loop_pending[LOOP_SIGNALS];
static volatile sig_atomic_t loop_any_pending;
static sigset_t loop_handled;   /* blocked outside ppoll */
static sigset_t loop_wait_mask; /* the mask at start without them */

static void loop_signal_handler(int signo)
{
	loop_pending[signo] = 1;
	loop_any_pending = 1;
}

static void loop_save_mask(void)
{
	if (is_mask_saved)
		return;
	(void)sigprocmask(SIG_SETMASK, NULL, &loop_original_signals.mask);
	sigemptyset(&loop_original_signals.changed);
	sigemptyset(&loop_original_signals.ignored);
	sigemptyset(&loop_handled);
	loop_wait_mask = loop_original_signals.mask;
	is_mask_saved = true;
}

void loop_init(struct loop *l)
{
	memset(l, 0, sizeof *l);
	loop_save_mask();
}

void loop_fini(struct loop *l)
{
	free(l->watches);
	free(l->polls);
	free(l->timers);
	memset(l, 0, sizeof *l);
}

int loop_add(struct loop *l, struct loop_watch *w, struct err *e)
{
	if (l->watch_count == l->watch_alloc) {
		size_t n = l->watch_alloc == 0 ? 16 : l->watch_alloc * 2;
		void *p = mem_realloc_array(l->watches, n, sizeof(struct loop_watch *), e);

		if (p == NULL)
			return -1;
		l->watches = p;
		p = mem_realloc_array(l->polls, n, sizeof *l->polls, e);
		if (p == NULL)
			return -1;
		l->polls = p;
		l->watch_alloc = n;
	}
	l->watches[l->watch_count++] = w;
	w->index = l->watch_count;
	return 0;
}

void loop_del(struct loop *l, struct loop_watch *w)
{
	if (w->index == 0)
		return;
	/* leave a hole, so that a round in progress neither skips nor repeats a watch; loop_step()
	 * closes holes */
	l->watches[w->index - 1] = NULL;
	w->index = 0;
}

int loop_arm(struct loop *l, struct loop_timer *t, uint64_t delay_ms, struct err *e)
{
	uint64_t now = clock_now_us();

	t->due_us = delay_ms > (UINT64_MAX - now) / 1000U ? UINT64_MAX : now + delay_ms * 1000U;
	if (t->index != 0)
		return 0;
	if (l->timer_count == l->timer_alloc) {
		size_t n = l->timer_alloc == 0 ? 8 : l->timer_alloc * 2;
		void *p = mem_realloc_array(l->timers, n, sizeof(struct loop_timer *), e);

		if (p == NULL)
			return -1;
		l->timers = p;
		l->timer_alloc = n;
	}
	l->timers[l->timer_count++] = t;
	t->index = l->timer_count;
	return 0;
}

void loop_disarm(struct loop *l, struct loop_timer *t)
{
	if (t->index == 0)
		return;
	l->timers[t->index - 1] = l->timers[l->timer_count - 1];
	l->timers[t->index - 1]->index = t->index;
	l->timer_count--;
	t->index = 0;
}

static void loop_note_change(int signo, const struct sigaction *old)
{
	if (sigismember(&loop_original_signals.changed, signo))
		return;
	sigaddset(&loop_original_signals.changed, signo);
	if (old->sa_handler == SIG_IGN)
		sigaddset(&loop_original_signals.ignored, signo);
}

int loop_on_signal(struct loop *l, int signo, void (*fn)(struct loop *l, int signo, void *ctx),
    void *ctx, struct err *e)
{
	struct sigaction sa, old;

	memset(&sa, 0, sizeof sa);
	sa.sa_handler = loop_signal_handler;
	sigfillset(&sa.sa_mask);
	if (sigaction(signo, NULL, &old) != 0)
		return err_errno(e, ERR_INTERNAL, "sigaction %d", signo);
	if (old.sa_handler == SIG_IGN && signo != SIGCHLD &&
	    !sigismember(&loop_original_signals.changed, signo))
		return 0; /* started under nohup: that wish holds */
	loop_note_change(signo, &old);
	sigaddset(&loop_handled, signo);
	sigdelset(&loop_wait_mask, signo);
	(void)sigprocmask(SIG_BLOCK, &loop_handled, NULL);
	if (sigaction(signo, &sa, NULL) != 0)
		return err_errno(e, ERR_INTERNAL, "sigaction %d", signo);
	l->signal_fn[signo] = fn;
	l->signal_ctx[signo] = ctx;
	return 0;
}

int loop_ending_signal(void)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
		if (loop_pending[ending[i]])
			return ending[i];
	return 0;
}

void loop_ignore_signal(int signo)
{
	struct sigaction sa, old;

	loop_save_mask();
	memset(&sa, 0, sizeof sa);
	sa.sa_handler = SIG_IGN;
	if (sigaction(signo, &sa, &old) == 0)
		loop_note_change(signo, &old);
}

void loop_restore_signals(void)
{
	struct sigaction sa;

	if (!is_mask_saved)
		return;
	memset(&sa, 0, sizeof sa);
	for (int s = 1; s < LOOP_SIGNALS; s++) {
		if (!sigismember(&loop_original_signals.changed, s))
			continue;
		sa.sa_handler = sigismember(&loop_original_signals.ignored, s) ? SIG_IGN : SIG_DFL;
		(void)sigaction(s, &sa, NULL);
	}
	(void)sigprocmask(SIG_SETMASK, &loop_original_signals.mask, NULL);
}

void loop_forget_signals(void)
{
	memset((void *)(uintptr_t)loop_pending, 0, sizeof loop_pending);
	loop_any_pending = 0;
	sigemptyset(&loop_handled);
	sigfillset(&loop_wait_mask);
}

static void loop_close_holes(struct loop *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->watch_count; i++) {
		if (l->watches[i] == NULL)
			continue;
		l->watches[n] = l->watches[i];
		l->watches[n]->index = n + 1;
		n++;
	}
	l->watch_count = n;
}

/* A signal that came while a loop without a handler for it waited (a question asked from inside a
 * handler of this one) is still to be told. */
static bool loop_has_pending(const struct loop *l)
{
	for (int s = 1; loop_any_pending && s < LOOP_SIGNALS; s++)
		if (loop_pending[s] && l->signal_fn[s] != NULL)
			return true;
	return false;
}

/* The one that is due first; NULL: none is armed. */
static struct loop_timer *loop_next_timer(const struct loop *l)
{
	struct loop_timer *next = NULL;

	for (size_t i = 0; i < l->timer_count; i++)
		if (next == NULL || l->timers[i]->due_us < next->due_us)
			next = l->timers[i];
	return next;
}

static int64_t loop_wait_us(const struct loop *l)
{
	const struct loop_timer *next = loop_next_timer(l);
	uint64_t now;

	if (loop_has_pending(l))
		return 0;
	if (next == NULL || next->due_us == UINT64_MAX)
		return -1;
	now = clock_now_us();
	return next->due_us <= now ? 0 : (int64_t)(next->due_us - now);
}

/* In the order of their time, also after a stall in which several became due. */
static void loop_call_timers(struct loop *l)
{
	struct loop_timer *t;
	uint64_t now;

	if (l->timer_count == 0)
		return;
	now = clock_now_us();
	while ((t = loop_next_timer(l)) != NULL && t->due_us <= now) {
		loop_disarm(l, t);
		t->fn(t);
	}
}

static void loop_call_signals(struct loop *l)
{
	if (!loop_any_pending)
		return;
	loop_any_pending = 0;
	for (int s = 1; s < LOOP_SIGNALS; s++) {
		if (!loop_pending[s])
			continue;
		if (l->signal_fn[s] == NULL) {
			loop_any_pending = 1;
			continue;
		}
		loop_pending[s] = 0;
		l->signal_fn[s](l, s, l->signal_ctx[s]);
	}
}

/*
 * ppoll(2) lets a signal in only while it waits: a descriptor that is always ready would keep every
 * signal out, and one that is ready at the same time would be served first.
 */
static void loop_let_signals_in(void)
{
	sigset_t pending;
	bool is_any = false;

	if (sigpending(&pending) != 0)
		return;
	for (int s = 1; s < LOOP_SIGNALS && !is_any; s++)
		is_any = sigismember(&pending, s) == 1 && sigismember(&loop_handled, s) == 1;
	if (!is_any)
		return;
	(void)sigprocmask(SIG_UNBLOCK, &loop_handled, NULL);
	(void)sigprocmask(SIG_BLOCK, &loop_handled, NULL);
}

int loop_step(struct loop *l, struct err *e)
{
	size_t count;
	int n;

	loop_close_holes(l);
	count = l->watch_count;
	for (size_t i = 0; i < count; i++) {
		struct loop_watch *w = l->watches[i];

		l->polls[i].fd = w->events != 0 ? w->fd : -1;
		l->polls[i].events = w->events;
		l->polls[i].revents = 0;
	}
	n = loop_os_wait(l->polls, count, loop_wait_us(l), &loop_wait_mask);
	if (n < 0 && errno != EINTR)
		return err_errno(e, ERR_INTERNAL, "poll");
	if (n > 0)
		loop_let_signals_in();
	loop_call_signals(l);
	for (size_t i = 0; n > 0 && i < count; i++) {
		struct loop_watch *w = l->watches[i];

		/* a handler before it may have removed this watch */
		if (l->polls[i].revents != 0 && w != NULL && w->fd == l->polls[i].fd)
			w->fn(w, l->polls[i].revents);
	}
	loop_call_timers(l);
	return 0;
}

int loop_run(struct loop *l, struct err *e)
{
	l->is_stopped = false;
	while (!l->is_stopped)
		if (loop_step(l, e) != 0)
			return -1;
	return 0;
}

void loop_stop(struct loop *l)
{
	l->is_stopped = true;
}
