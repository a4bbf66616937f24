/*
 * podman's virtual machine (macOS, or where a user made one): started when it is stopped, stopped
 * only when it was us who started it and nobody else uses it. It is never made rootful, and nothing
 * else of it is changed but the folders that it shares.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/limits.h"
#include "../base/mem.h"
#include "../sys/fd.h"
#include "container.h"

#define MACHINE_STARTED "machine-started" /* in STATE/engine: it was us; its time: the last use */

static char *started_path(const char *state_dir, struct err *e)
{
	return mem_printf(e, "%s/engine/" MACHINE_STARTED, state_dir);
}

/* What it said, for a message. */
static int machine_failed(struct buf *said, const char *what, const char *remedy, struct err *e)
{
	const char *text = buf_str(said, NULL);
	struct str_shown shown;
	size_t n = text == NULL ? 0 : strcspn(text, "\n");

	return err_set(e, ERR_REFUSED, "podman machine: %s: %s (%s)", what,
	    n > 0 ? str_shown(&shown, text, n) : "it said nothing", remedy);
}

/* 1: running; 0: not; -1 with e. */
static int machine_state(const struct engine *en, char *const *env, struct err *e)
{
	struct buf out, said;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_ask(en, env, ENGINE_ASK_MS, &out, &said, e, "machine", "inspect", "--format",
	    "{{.State}}", NULL);
	if (rc > 0)
		rc = machine_failed(&said, "there is none", "podman machine init", e);
	else if (rc == 0)
		rc = out.len >= 7 && memcmp(out.data, "running", 7) == 0;
	buf_fini(&out);
	buf_fini(&said);
	return rc;
}

/* A machine whose client knows no such option shares what it was made with: looked at later. */
static void machine_share(const struct engine *en, char *const *env, const char *const *folders)
{
	for (size_t i = 0; folders[i] != NULL; i++) {
		MEM_AUTOFREE char *volume = mem_printf(NULL, "%s:%s", folders[i], folders[i]);

		if (volume != NULL)
			(void)engine_tell(en, env, ENGINE_ASK_MS, NULL, NULL, "machine", "set",
			    "--volume", volume, NULL);
	}
}

static int machine_start(const struct engine *en, char *const *env, const char *state_dir,
    const char *const *folders, struct err *e)
{
	MEM_AUTOFREE char *path = started_path(state_dir, e);
	MEM_AUTOFREE char *dir = mem_printf(e, "%s/engine", state_dir);
	struct buf said;
	int rc, fd;

	if (path == NULL || dir == NULL)
		return -1;
	machine_share(en, env, folders);
	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_tell(en, env, MACHINE_START_MS, &said, e, "machine", "start", NULL);
	if (rc > 0)
		rc = machine_failed(&said, "it does not start", "podman machine start", e);
	buf_fini(&said);
	if (rc != 0)
		return -1;
	(void)mkdir(dir, 0700);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fd_close(&fd);
	return 0;
}

static int machine_sees(const struct engine *en, char *const *env, const char *folder,
    struct err *e)
{
	struct buf said;
	int rc;

	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_ask(en, env, ENGINE_ASK_MS, NULL, &said, e, "machine", "ssh", "--", "test",
	    "-d", folder, NULL);
	buf_fini(&said);
	if (rc <= 0)
		return rc;
	return err_set(e, ERR_REFUSED,
	    "podman's machine does not see %s: give it that folder (podman machine init --volume "
	    "%s:%s)",
	    folder, folder, folder);
}

int machine_ready(const struct engine *en, char *const *env, const char *state_dir,
    const char *const *folders, struct err *e)
{
	MEM_AUTOFREE char *path = started_path(state_dir, e);
	int is_running = machine_state(en, env, e);

	if (path == NULL || is_running < 0)
		return -1;
	if (!is_running && machine_start(en, env, state_dir, folders, e) != 0)
		return -1;
	for (size_t i = 0; folders[i] != NULL; i++)
		if (machine_sees(en, env, folders[i], e) != 0)
			return -1;
	(void)fd_write_small(AT_FDCWD, path, "\n"); /* the last use, if it was us who started it */
	return 0;
}

/* Containers of anybody, also of those who started it by hand meanwhile. */
static int machine_is_in_use(const struct engine *en, char *const *env, struct err *e)
{
	struct buf out, said;
	int rc;

	buf_init(&out, LIMIT_SMALL_FILE);
	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_ask(en, env, ENGINE_ASK_MS, &out, &said, e, "ps", "--quiet", NULL);
	if (rc > 0)
		rc = machine_failed(&said, "it does not answer", "podman ps", e);
	else if (rc == 0)
		rc = out.len > 0;
	buf_fini(&out);
	buf_fini(&said);
	return rc;
}

int machine_stop_idle(const struct engine *en, char *const *env, const char *state_dir,
    uint64_t idle_ms, struct err *e)
{
	MEM_AUTOFREE char *path = started_path(state_dir, e);
	struct buf said;
	struct stat st;
	int rc;

	if (path == NULL)
		return -1;
	if (!en->is_machine || stat(path, &st) != 0 ||
	    (uint64_t)(time(NULL) - st.st_mtime) * 1000U < idle_ms)
		return 0;
	rc = machine_state(en, env, e);
	if (rc == 1)
		rc = machine_is_in_use(en, env, e) == 0 ? 1 : -2;
	if (rc == 0)
		(void)unlink(path); /* somebody else stopped it: the next start may not be ours */
	if (rc != 1)
		return rc == -1 || e->kind != ERR_NONE ? -1 : 0;
	buf_init(&said, LIMIT_SMALL_FILE);
	rc = engine_tell(en, env, MACHINE_START_MS, &said, e, "machine", "stop", NULL);
	if (rc > 0)
		rc = machine_failed(&said, "it does not stop", "podman machine stop", e);
	buf_fini(&said);
	if (rc != 0)
		return -1;
	(void)unlink(path);
	return 1;
}
