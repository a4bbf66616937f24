/*
 * podman's virtual machine, stopped when nobody uses it: against a stand-in that says what it is
 * told to and writes down what it is asked. What starts it is tests/container/machine.t.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/base/limits.h"
#include "../../lib/base/mem.h"
#include "../../lib/sandbox/container.h"
#include "../../lib/sys/fd.h"
#include "../../lib/sys/tree.h"
#include "tap.h"

static char dir[64], state_dir[96];
static struct engine en = { .kind = ENGINE_PODMAN, .is_machine = true };
static char *env[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL };
static struct err e;

static void put_file(const char *name, const char *content, mode_t mode)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0 || fd_write_all(fd, content, strlen(content)) != 0)
		BAIL("%s", path);
	(void)close(fd);
}

static bool has_file(const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static const char *asked(void)
{
	static char text[1024];

	if (fd_read_small(AT_FDCWD, "log", text, sizeof text) < 0)
		text[0] = '\0';
	return text;
}

/* A machine in that state with those containers, started by us (or not), last used so long ago. */
static void machine(const char *state, const char *containers, bool was_us, time_t idle_s)
{
	time_t used = time(NULL) - idle_s;
	struct timespec times[2] = { { .tv_sec = used }, { .tv_sec = used } };

	err_clear(&e);
	(void)unlink("log");
	(void)unlink("no-stop");
	put_file("state", state, 0600);
	put_file("containers", containers, 0600);
	(void)unlink("state.d/engine/machine-started");
	if (!was_us)
		return;
	put_file("state.d/engine/machine-started", "", 0600);
	(void)utimensat(AT_FDCWD, "state.d/engine/machine-started", times, 0);
}

static int stop(void)
{
	return machine_stop_idle(&en, env, state_dir, 300000, &e);
}

static void test_stop(void)
{
	machine("running\n", "", true, 400);
	is_int(stop(), 1, "idle, ours and empty: stopped");
	is_str(asked(), "machine inspect --format {{.State}}\nps --quiet\nmachine stop\n",
	    "so asked");
	ok(!has_file("state.d/engine/machine-started"), "it is nobody's now");
	machine("running\n", "", true, 100);
	is_int(stop(), 0, "used a while ago");
	is_str(asked(), "", "nothing was asked");
	machine("running\n", "", false, 0);
	is_int(stop(), 0, "started by somebody else");
	is_str(asked(), "", "nothing was asked");
	machine("running\n", "0123456789ab\n", true, 400);
	is_int(stop(), 0, "somebody's container runs in it");
	ok(strstr(asked(), "machine stop") == NULL, "it goes on");
	ok(has_file("state.d/engine/machine-started"), "and is still ours to stop");
	machine("stopped\n", "", true, 400);
	is_int(stop(), 0, "stopped by somebody else");
	ok(!has_file("state.d/engine/machine-started"), "who starts it next, owns it");
	machine("running\n", "", true, 400);
	put_file("no-stop", "", 0600);
	is_int(stop(), -1, "one that does not stop");
	ok(strstr(e.msg, "it does not stop: Error: busy") != NULL, "and why");
	en.is_machine = false;
	machine("running\n", "", true, 400);
	is_int(stop(), 0, "no machine");
	is_str(asked(), "", "nothing was asked");
	en.is_machine = true;
}

static void test_idle_time(void)
{
	char *vars[] = { (char *)(uintptr_t) "MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT=60", NULL };
	struct sandbox_request rq = { .env = NULL };
	uint64_t ms = 0;

	ok(machine_idle_ms(&rq, &ms, &e) == 0 && ms == 300000, "300 s by default");
	rq.env = vars;
	ok(machine_idle_ms(&rq, &ms, &e) == 0 && ms == 60000, "or what the seed's variable says");
	vars[0] = (char *)(uintptr_t) "SBX_RUNTIME_IDLE_TIMEOUT=soon";
	ok(machine_idle_ms(&rq, &ms, &e) != 0, "a time that is none");
}

int main(void)
{
	(void)snprintf(dir, sizeof dir, "/tmp/sbx-machine.XXXXXX");
	if (mkdtemp(dir) == NULL || chdir(dir) != 0 || mkdir("state.d", 0700) != 0 ||
	    mkdir("state.d/engine", 0700) != 0)
		BAIL("%s", dir);
	(void)snprintf(state_dir, sizeof state_dir, "%s/state.d", dir);
	(void)snprintf(en.program, sizeof en.program, "%s/podman", dir);
	put_file("podman",
	    "#!/bin/sh\n"
	    "cd \"${0%/*}\" || exit 99\n"
	    "echo \"$*\" >>log\n"
	    "case \"$1 $2\" in\n"
	    "'machine inspect') cat state ;;\n"
	    "'machine stop') [ ! -e no-stop ] || { echo 'Error: busy' >&2; exit 125; } ;;\n"
	    "'ps --quiet') cat containers ;;\n"
	    "*) exit 98 ;;\n"
	    "esac\n",
	    0755);
	test_stop();
	test_idle_time();
	(void)chdir("/");
	(void)tree_remove(AT_FDCWD, dir);
	return done_testing();
}
