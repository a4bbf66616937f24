/*
 * The event loop: the only poll. Descriptors, deadlines and signals call a function each; a handler
 * never blocks. Signals that the loop handles are blocked except while it waits (ppoll(2)), so a
 * handler function runs as ordinary code. What the loop changed (mask, dispositions) is remembered
 * and put back in a child by loop_restore_signals(). A watch and a timer are members of the owner's
 * struct: no allocation an event.
 */
#ifndef SBX_SYS_LOOP_H
#define SBX_SYS_LOOP_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/err.h"

struct loop_watch {
	int fd;
	short events; /* POLLIN, POLLOUT; 0: paused (not even hang-up is told) */
	void (*fn)(struct loop_watch *w, short revents);
	void *ctx;
	size_t index; /* in the loop's array + 1; 0: not added */
};

struct loop_timer {
	uint64_t due_us; /* clock_now_us() time */
	void (*fn)(struct loop_timer *t);
	void *ctx;
	size_t index; /* as above */
};

#define LOOP_SIGNALS 65

struct loop {
	struct loop_watch **watches;
	struct pollfd *polls;
	size_t watch_count, watch_alloc;
	struct loop_timer **timers;
	size_t timer_count, timer_alloc;
	void (*signal_fn[LOOP_SIGNALS])(struct loop *l, int signo, void *ctx);
	void *signal_ctx[LOOP_SIGNALS];
	bool is_stopped;
};

/* The signal state that the process was started with. */
struct loop_signals {
	sigset_t mask;    /* blocked at start */
	sigset_t changed; /* dispositions that we changed … */
	sigset_t ignored; /* … and that were SIG_IGN before */
};
extern struct loop_signals loop_original_signals;

void loop_init(struct loop *l); /* remembers the signal mask; blocks nothing yet */
void loop_fini(struct loop *l);
int loop_add(
    struct loop *l, struct loop_watch *w, struct err *e); /* w->fd, events, fn, ctx are set */
void loop_del(struct loop *l, struct loop_watch *w);      /* safe when not added */
int loop_arm(
    struct loop *l, struct loop_timer *t, uint64_t delay_ms, struct err *e); /* re-arms too */
void loop_disarm(struct loop *l, struct loop_timer *t);
/* Handle signo by fn. A signal that was ignored when the process started stays ignored (nohup);
 * returns 0 then too. */
int loop_on_signal(struct loop *l, int signo, void (*fn)(struct loop *l, int signo, void *ctx),
    void *ctx, struct err *e);
/*
 * SIGHUP, SIGINT, SIGQUIT or SIGTERM that came while a loop without a function for it waited (a
 * question asked before, or inside a function of, the loop that handles it), which is still to be
 * told; 0: none.
 */
int loop_ending_signal(void);
/* Ignore signo in this process only (SIGPIPE): children get the original disposition back. */
void loop_ignore_signal(int signo);
/* Wait for one round of events and call their functions. 0, or -1 when poll itself fails. */
int loop_step(struct loop *l, struct err *e);
int loop_run(struct loop *l, struct err *e); /* until loop_stop() */
void loop_stop(struct loop *l);

/* In a child before exec: the mask and the dispositions that the process was started with. Raw. */
void loop_restore_signals(void);
/* In a forked child that goes on with a loop of its own: forget the parent's handlers; all signals
   stay blocked, also while it waits, but for those that it asks for. Raw. */
void loop_forget_signals(void);

#endif
