/* Becoming another user for good: all ids, also those that do not fit in 16 bits. */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/sandbox/stage_os.h"
#include "tap.h"

/* 0: it is what was asked, and there is no way back. */
static int become(uid_t uid, gid_t gid)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;

	if (stage_os_become(uid, gid) != 0)
		return 1;
	if (getresuid(&r, &e, &s) != 0 || getresgid(&rg, &eg, &sg) != 0)
		return 2;
	if (r != uid || e != uid || s != uid || rg != gid || eg != gid || sg != gid)
		return 3;
	return getgroups(0, NULL) > 1 ? 4 : setuid(0) == 0 ? 5 : 0;
}

static int in_child(uid_t uid, gid_t gid)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(become(uid, gid));
	return pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ?
		   -1 :
		   WEXITSTATUS(status);
}

/* user_namespaces(7): in the first one, and in few others, every id is mapped to itself. */
static int has_all_users(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long first, outside, count;
	int n = f == NULL ? 0 : fscanf(f, "%lu %lu %lu", &first, &outside, &count);

	if (f != NULL)
		(void)fclose(f);
	return n == 3 && first == 0 && count == 0xffffffffUL;
}

int main(void)
{
	static const uint32_t ids[] = { 1, 65534, 65535, 65536, 65537, 100000, 0x7fffffff,
		0x80000000, 0xfffffffe };

	if (geteuid() != 0 || !has_all_users()) {
		skip("only root of the whole machine can become any user");
		return done_testing();
	}
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		uint32_t gid = ids[(i + 1) % (sizeof ids / sizeof ids[0])];

		is_int(in_child(ids[i], gid), 0, "user %lu, group %lu", (unsigned long)ids[i],
		    (unsigned long)gid);
	}
	return done_testing();
}
