/*
 * The program's own constant pointers: writable as the kernel started it (a static program has no
 * loader that would change that), read-only after the call; ordinary data stays writable.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/sys/relro.h"
#include "tap.h"

/* Several pages and alone in them at both ends, whatever lies beside it. */
#define COUNT 40000
static int target;
#define P1 &target, &target, &target, &target, &target, &target, &target, &target, &target, &target
#define P2 P1, P1, P1, P1, P1, P1, P1, P1, P1, P1
#define P3 P2, P2, P2, P2, P2, P2, P2, P2, P2, P2
static const int *const table[COUNT] = { P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3,
	P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3, P3,
	P3, P3 };
static int data = 1;

/* The signal that a child gets when it writes there; 0: none. */
static int write_signal(volatile void *where)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		volatile unsigned char *byte = where;

		(void)signal(SIGSEGV, SIG_DFL);
		(void)signal(SIGBUS, SIG_DFL);
		*byte = *byte;
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		BAIL("fork");
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int main(void)
{
	struct err e = ERR_INIT;
	volatile void *middle = (void *)(uintptr_t)&table[COUNT / 2];

	if (write_signal(middle) != 0)
		diag("a loader has protected it already");
	else
		ok(1, "constant pointers can be overwritten at first");
	is_int(relro_protect(&e), 0, "protect: %s", e.msg);
	is_int(write_signal(middle), SIGSEGV, "constant pointers cannot be overwritten any more");
	is_int(write_signal(&data), 0, "data can");
	ok(table[COUNT / 2] == &target, "and the pointers lead where they should");
	is_int(relro_protect(&e), 0, "once more: %s", e.msg);
	return done_testing();
}
