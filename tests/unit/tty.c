/*
 * The caller's terminal: raw mode and back; window sizes.
 * A pseudo-terminal stands in for it.
 */
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../lib/sys/tty.h"
#include "tap.h"

static int is_same_mode(const struct termios *a, const struct termios *b)
{
	/* of c_cc the kernel fills no more */
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, VEOL2 + 1) == 0;
}

static void test_no_terminal(void)
{
	struct tty_saved saved = TTY_SAVED_INIT;
	struct err e = ERR_INIT;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	is_int(tty_make_raw(fd, &saved, &e), -1, "/dev/null is no terminal");
	is_int(e.kind, ERR_USAGE, "which is the user's mistake");
	is_int(saved.fd, -1, "nothing is to be put back");
	tty_restore(&saved);
	tty_copy_size(fd, fd);
	tty_copy_size(-1, -1);
	(void)close(fd);
}

static void test_raw(int slave)
{
	struct tty_saved saved = TTY_SAVED_INIT;
	struct err e = ERR_INIT;
	struct termios before, now;

	if (tcgetattr(slave, &before) != 0)
		BAIL("tcgetattr");
	is_int(tty_make_raw(slave, &saved, &e), 0, "raw mode");
	ok(tcgetattr(slave, &now) == 0 && (now.c_lflag & (ICANON | ECHO | ISIG)) == 0,
	   "no lines, no echo, no signals");
	tty_restore(&saved);
	ok(tcgetattr(slave, &now) == 0 && is_same_mode(&before, &now), "put back");
	tty_restore(&saved);
	ok(tcgetattr(slave, &now) == 0 && is_same_mode(&before, &now), "putting back twice");
}

static void test_size(int master, int slave)
{
	struct winsize size = { .ws_row = 33, .ws_col = 111 }, now;
	int other_master, other;

	if (openpty(&other_master, &other, NULL, NULL, NULL) != 0)
		BAIL("openpty");
	if (ioctl(master, TIOCSWINSZ, &size) != 0)
		BAIL("TIOCSWINSZ");
	tty_copy_size(slave, other_master);
	ok(ioctl(other, TIOCGWINSZ, &now) == 0 && now.ws_row == 33 && now.ws_col == 111,
	   "the size is taken over");
	is_int(tty_size(slave), 33 << 16 | 111, "it can be told");
	is_int(tty_size(-1), 0, "there is none without a terminal");
	tty_set_size(other_master, 44U << 16 | 222U);
	ok(ioctl(other, TIOCGWINSZ, &now) == 0 && now.ws_row == 44 && now.ws_col == 222,
	   "and set from what was told");
	(void)close(other);
	(void)close(other_master);
}

int main(void)
{
	int master, slave;

	test_no_terminal();
	if (openpty(&master, &slave, NULL, NULL, NULL) != 0)
		skip_all("no pseudo-terminals here");
	test_raw(slave);
	test_size(master, slave);
	return done_testing();
}
