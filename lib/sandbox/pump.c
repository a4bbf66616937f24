/* See pump.h. */
#include "pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "../sys/fd_os.h"
#include "pump_os.h"

#define PUMP_BUFFER (64UL * SBX_KIB)

bool pump_is_running(const struct pump *p)
{
	return p->in.index != 0;
}

void pump_stop(struct pump *p)
{
	if (p->loop == NULL)
		return;
	loop_del(p->loop, &p->in);
	loop_del(p->loop, &p->out);
	free(p->buffer);
	p->buffer = NULL;
	if (p->closes_out)
		fd_close(&p->out.fd);
	else
		fd_close(&p->own_out_fd);
}

static void pump_end(struct pump *p)
{
	pump_stop(p);
	if (p->on_end != NULL)
		p->on_end(p);
}

static void pump_wait(struct pump *p, bool for_output)
{
	/* waiting for room: do not poll the readable side, or the loop would spin */
	p->in.events = for_output ? 0 : POLLIN;
	p->out.events = for_output ? POLLOUT : 0;
}

static void pump_output_failed(struct pump *p, int errnum)
{
	p->write_errno = errnum;
	p->pos = p->len = 0;
	p->is_discarding = true;
	p->is_splice = false;
	pump_wait(p, false);
	if (p->on_data != NULL)
		p->on_data(p, 0); /* the owner looks at write_errno now, not with the next byte */
}

static void pump_count(struct pump *p, size_t n)
{
	p->total_bytes += n;
	if (p->on_data != NULL)
		p->on_data(p, n);
}

/* 1: moved something, 0: must wait (the watches say for what), -1: ended */
static int pump_step_splice(struct pump *p)
{
	uint64_t left = p->budget_bytes != NULL ? *p->budget_bytes : SBX_MIB;
	ssize_t n;

	if (left == 0) {
		p->is_splice = false;
		p->is_discarding = true;
		return 1;
	}
	n = pump_os_splice(p->in.fd, p->out.fd, left > SBX_MIB ? SBX_MIB : (size_t)left);
	if (n > 0) {
		if (p->budget_bytes != NULL)
			*p->budget_bytes -= (uint64_t)n;
		pump_count(p, (size_t)n);
		return 1;
	}
	if (n == 0)
		return -1;
	switch (errno) {
	case EINTR:
		return 1;
	case EAGAIN: /* either side: data is waiting, so it was the output, unless poll says
			otherwise */
		pump_wait(p, fd_is_readable(p->in.fd));
		return 0;
	case EPIPE:
	case ECONNRESET:
	case ENOSPC:
	case EFBIG:
	case EDQUOT:
	case EIO:
		pump_output_failed(p, errno);
		return p->drains ? 1 : -1;
	default: /* EINVAL: these two descriptors cannot (a terminal, a file opened for appending)
		  */
		p->is_splice = false;
		return 1;
	}
}

static int pump_step_read(struct pump *p)
{
	ssize_t n;

	if (p->buffer == NULL) {
		p->buffer = malloc(PUMP_BUFFER);
		if (p->buffer == NULL) {
			pump_output_failed(p, ENOMEM);
			return -1;
		}
	}
	n = read(p->in.fd, p->buffer, PUMP_BUFFER);
	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0 && errno == EAGAIN) {
		pump_wait(p, false);
		return 0;
	}
	if (n <= 0) /* EIO: the other side of a pty has closed */
		return -1;
	p->pos = 0;
	p->len = (size_t)n;
	if (p->is_discarding)
		p->len = 0;
	if (p->budget_bytes != NULL) {
		if (p->len > *p->budget_bytes)
			p->len = (size_t)*p->budget_bytes;
		*p->budget_bytes -= p->len;
	}
	pump_count(p, (size_t)n);
	return 1;
}

static int pump_step_write(struct pump *p)
{
	/* at most PIPE_BUF at once: that much poll has promised for a pipe, and the descriptor may
	 * be a blocking one */
	size_t want = p->len - p->pos > 4096 && !p->is_out_file ? 4096 : p->len - p->pos;
	ssize_t n;

	if (!p->is_out_file && !fd_is_writable(p->out.fd)) {
		pump_wait(p, true);
		return 0;
	}
	n = p->is_out_socket ?
		send(p->out.fd, p->buffer + p->pos, want, MSG_DONTWAIT | FD_OS_MSG_NOSIGNAL) :
		write(p->out.fd, p->buffer + p->pos, want);
	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0 && errno == EAGAIN) {
		pump_wait(p, true);
		return 0;
	}
	if (n < 0) {
		pump_output_failed(p, errno);
		return p->drains ? 1 : -1;
	}
	p->pos += (size_t)n;
	return 1;
}

static int pump_step(struct pump *p)
{
	if (p->pos < p->len)
		return pump_step_write(p);
	if (p->is_splice)
		return pump_step_splice(p);
	return pump_step_read(p);
}

#define PUMP_STEPS 32 /* then the loop looks at timers and signals again */

static void pump_on_event(struct loop_watch *w, short revents)
{
	struct pump *p = w->ctx;
	int rc = 1;

	(void)revents;
	pump_wait(p, false);
	for (int i = 0; i < PUMP_STEPS && rc == 1; i++) {
		/* the input may be a blocking descriptor: it is read only when there is something
		 */
		if (p->pos >= p->len && !fd_is_readable(p->in.fd))
			return;
		rc = pump_step(p);
	}
	if (rc < 0)
		pump_end(p);
}

void pump_flush(struct pump *p)
{
	int rc = 1;

	while (pump_is_running(p) && rc == 1) {
		if (p->pos >= p->len && !fd_is_readable(p->in.fd))
			return;
		rc = pump_step(p);
	}
	if (rc < 0)
		pump_end(p);
}

int pump_start(struct pump *p, struct loop *loop, int in_fd, int out_fd, struct err *e)
{
	struct stat st;

	p->loop = loop;
	p->in = (struct loop_watch){ .fd = in_fd, .events = POLLIN, .fn = pump_on_event, .ctx = p };
	p->out = (struct loop_watch){ .fd = out_fd, .events = 0, .fn = pump_on_event, .ctx = p };
	if (fstat(out_fd, &st) != 0)
		return err_errno(e, ERR_SETUP, "fstat");
	p->is_out_file = S_ISREG(st.st_mode);
	p->is_out_socket = S_ISSOCK(st.st_mode);
	/* what we made ourselves does not block already; opening a pseudo-terminal's master would
	 * make another one */
	p->own_out_fd =
	    !p->closes_out && isatty(out_fd) == 1 && !pump_os_is_pty_master(out_fd, st.st_rdev) ?
		fd_reopen_nonblock(out_fd) :
		-1;
	if (p->own_out_fd >= 0)
		p->out.fd = p->own_out_fd;
	/* splice into or from a terminal, and into a socket, would wait for it whatever its flags
	 * say */
	p->is_splice =
	    pump_os_can_splice() && !p->is_out_socket && isatty(in_fd) == 0 && isatty(out_fd) == 0;
	if (loop_add(loop, &p->in, e) != 0)
		return -1;
	if (loop_add(loop, &p->out, e) != 0) {
		loop_del(loop, &p->in);
		return -1;
	}
	return 0;
}
