/* The caller's terminal: raw mode while a run owns it; window size (ioctl_tty(2)). */
#ifndef SBX_SYS_TTY_H
#define SBX_SYS_TTY_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "../base/err.h"

struct tty_saved {
	int fd; /* -1: nothing to restore */
	struct termios mode;
};
#define TTY_SAVED_INIT \
	{ \
		.fd = -1 \
	}

/* Raw mode on fd (a terminal, else ERR_USAGE); what was is kept in saved, for tty_restore(). */
int tty_make_raw(int fd, struct tty_saved *saved, struct err *e);
void tty_restore(struct tty_saved *saved);
/* Give to_fd the window size of from_fd; does nothing where one is no terminal. */
void tty_copy_size(int from_fd, int to_fd);
/* The same in two steps, for another process: rows << 16 | columns, 0 for what is no terminal. */
uint32_t tty_size(int fd);
void tty_set_size(int fd, uint32_t size);

#endif
