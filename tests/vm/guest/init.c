/*
 * /init of the virtual machine. The kernel command line names the suite after "--": it is run, its
 * TAP goes to the console, and the machine ends with its verdict. With another pid: a role.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest.h"
#include "tap.h"

/* The kernel opens the console for us where its built-in file system has one. */
static void open_console(void)
{
	int fd = 0;

	(void)mkdir("/dev", 0755);
	(void)mknod("/dev/console", S_IFCHR | 0600, makedev(5, 1));
	while (fd >= 0 && fd < 2)
		fd = open("/dev/console", O_RDWR);
	(void)fcntl(3, F_SETFD, FD_CLOEXEC);
}

static void run_suite(const char *name)
{
	if (strcmp(name, "full") == 0)
		suite_full();
	else if (suite_degraded(name) != 0)
		ok(false, "no suite called \"%s\"", name);
}

int main(int argc, char **argv)
{
	if (getpid() != 1)
		return role_main(argc, argv);
	open_console();
	run_suite(argc > 1 ? argv[1] : "");
	vm_exit(done_testing() == 0);
}
