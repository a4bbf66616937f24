/* See tty.h. Signals end sbx through its loop, so restoring on the ordinary way out covers them. */
#include "tty.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int tty_make_raw(int fd, struct tty_saved *saved, struct err *e)
{
	struct termios raw;

	if (isatty(fd) == 0)
		return err_set(e, ERR_USAGE, "--tty needs a terminal on stdin");
	if (tcgetattr(fd, &saved->mode) != 0)
		return err_errno(e, ERR_IO, "read the terminal's mode");
	raw = saved->mode;
	cfmakeraw(&raw);
	if (tcsetattr(fd, TCSADRAIN, &raw) != 0)
		return err_errno(e, ERR_IO, "set the terminal's mode");
	saved->fd = fd;
	return 0;
}

void tty_restore(struct tty_saved *saved)
{
	if (saved->fd >= 0)
		(void)tcsetattr(saved->fd, TCSADRAIN, &saved->mode);
	saved->fd = -1;
}

void tty_copy_size(int from_fd, int to_fd)
{
	struct winsize ws;

	if (ioctl(from_fd, TIOCGWINSZ, &ws) == 0)
		(void)ioctl(to_fd, TIOCSWINSZ, &ws);
}

uint32_t tty_size(int fd)
{
	struct winsize ws;

	return ioctl(fd, TIOCGWINSZ, &ws) == 0 ? (uint32_t)ws.ws_row << 16 | ws.ws_col : 0;
}

void tty_set_size(int fd, uint32_t size)
{
	struct winsize ws;

	memset(&ws, 0, sizeof ws);
	ws.ws_row = (unsigned short)(size >> 16);
	ws.ws_col = (unsigned short)(size & 0xffffU);
	(void)ioctl(fd, TIOCSWINSZ, &ws);
}
