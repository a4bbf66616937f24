/* The parts of proc.h that are the same on every system. */
#include "proc.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>

#include "../base/mem.h"

int proc_wait(pid_t pid, struct rusage *usage)
{
	int status = 0;
	pid_t got;

	do
		got = wait4(pid, &status, 0, usage);
	while (got < 0 && errno == EINTR);
	return got == pid ? status : -1;
}

int proc_exit_status(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}

const char *proc_signal_name(int signo)
{
	static const struct {
		int signo;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" },
		{ SIGINT, "SIGINT" },
		{ SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },
		{ SIGTRAP, "SIGTRAP" },
		{ SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },
		{ SIGFPE, "SIGFPE" },
		{ SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" },
		{ SIGSEGV, "SIGSEGV" },
		{ SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" },
		{ SIGALRM, "SIGALRM" },
		{ SIGTERM, "SIGTERM" },
		{ SIGCHLD, "SIGCHLD" },
		{ SIGCONT, "SIGCONT" },
		{ SIGSTOP, "SIGSTOP" },
		{ SIGTSTP, "SIGTSTP" },
		{ SIGTTIN, "SIGTTIN" },
		{ SIGTTOU, "SIGTTOU" },
		{ SIGURG, "SIGURG" },
		{ SIGXCPU, "SIGXCPU" },
		{ SIGXFSZ, "SIGXFSZ" },
		{ SIGPROF, "SIGPROF" },
		{ SIGSYS, "SIGSYS" },
		{ SIGVTALRM, "SIGVTALRM" },
		{ SIGWINCH, "SIGWINCH" },
	};

	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (names[i].signo == signo)
			return names[i].name;
	return NULL;
}
