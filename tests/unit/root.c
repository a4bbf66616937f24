/*
 * The project root and the working folder: suitable ones by their real path, others refused or
 * replaced, deleted ones told.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/base/mem.h"
#include "../../lib/policy/policy_options.h"
#include "../../lib/sandbox/root.h"
#include "tap.h"

static char top[PATH_MAX];
static struct policy policy;
static struct plan plan;
static struct err e;

static void set_home(const char *path)
{
	free(plan.home);
	free(plan.home_outside);
	plan.home = mem_strdup(path, &e);
	plan.home_outside = mem_strdup(path, &e);
}

static void begin(const struct sandbox_backend *b, const char *root, const char *cwd)
{
	memset(&plan, 0, sizeof plan);
	policy_init(&policy);
	err_clear(&e);
	plan.policy = &policy;
	plan.backend = b;
	plan.root_fd = plan.cwd_fd = plan.temp_parent_fd = -1;
	set_home("/home/somebody");
	if (root != NULL)
		policy.root = mem_strdup(root, &e);
	if (cwd != NULL)
		policy.cwd = mem_strdup(cwd, &e);
}

static void finish(void)
{
	plan_fini(&plan);
	policy_fini(&policy);
}

static char *below(const char *name)
{
	static char path[PATH_MAX + 100];

	snprintf(path, sizeof path, "%s/%s", top, name);
	return path;
}

/* root and cwd as given, and what they must become; want_root NULL: refused with that word. */
static void test_case(const char *root, const char *cwd, const char *want_root,
    const char *want_cwd)
{
	int rc;

	begin(&backend_namespace, root, cwd);
	rc = root_resolve(&plan, &e);
	if (want_root == NULL) {
		is_int(rc, -1, "--root %s -C %s: refused", root ? root : "-", cwd ? cwd : "-");
		is_int(e.kind, ERR_USAGE, "as a mistake of the user's");
		ok(strstr(e.msg, want_cwd) != NULL, "with \"%s\" in \"%s\"", want_cwd, e.msg);
	} else {
		is_int(rc, 0, "--root %s -C %s: %s", root ? root : "-", cwd ? cwd : "-", e.msg);
		is_str(plan.root, below(want_root), "the root's real path");
		is_str(plan.cwd, below(want_cwd), "the working folder's");
		ok(plan.root_fd >= 0 && plan.notice == NULL, "pinned, and nothing to say");
	}
	finish();
}

static void test_cases(void)
{
	struct stat before, after;

	ok(stat(".", &before) == 0, "control: a current folder");
	test_case(NULL, NULL, "p", "p");
	test_case("sub", NULL, "p/sub", "p/sub");
	test_case("../q", NULL, "q", "q");
	test_case("link", NULL, "p/sub", "p/sub");
	test_case(NULL, "sub", "p", "p/sub");
	test_case(NULL, "sub/../sub/./deep", "p", "p/sub/deep");
	test_case(NULL, "link", "p", "p/sub");
	test_case("sub", "deep", "p/sub", "p/sub/deep");
	test_case("sub", ".", "p/sub", "p/sub");
	test_case(NULL, "..", NULL, "outside");
	test_case(NULL, "out", NULL, "outside");
	test_case(NULL, "/usr", NULL, "outside");
	test_case("sub", "../sub2", NULL, "sub2");
	test_case("none", NULL, NULL, "none");
	test_case(NULL, "none", NULL, "none");
	test_case("file", NULL, NULL, "not a folder");
	test_case(NULL, "file", NULL, "not a folder");
	test_case("file/x", NULL, NULL, "file/x");
	test_case("/proc", NULL, NULL, "name a project folder");
	test_case("/usr/share", NULL, NULL, "a system folder");
	test_case("/", NULL, NULL, "name a project folder");
	test_case("/tmp", NULL, NULL, "--rw");
	ok(stat(".", &after) == 0 && before.st_ino == after.st_ino,
	   "the current folder is what it was");
}

static void test_neighbour(void)
{
	/* "/x/p" and "/x/p2" share letters, not a folder */
	begin(&backend_namespace, NULL, below("p2"));
	is_int(root_resolve(&plan, &e), -1, "a folder whose name begins like the root's");
	ok(strstr(e.msg, "outside") != NULL, "lies outside");
	finish();
}

static void test_chance(void)
{
	if (chdir("/") != 0)
		BAIL("chdir /");
	begin(&backend_namespace, NULL, NULL);
	is_int(root_resolve(&plan, &e), 0, "/ by chance");
	ok(plan.root == NULL && plan.root_fd < 0, "is no root");
	is_str(plan.cwd, plan.private_root, "a private folder is, and the working folder");
	ok(plan.notice != NULL && strstr(plan.notice, "--root") != NULL, "with a notice");
	finish();
	begin(&backend_native, NULL, NULL);
	is_int(root_resolve(&plan, &e), 0, "native hides nothing");
	is_str(plan.root, "/", "there / stays");
	finish();
	begin(&backend_namespace, NULL, "usr");
	is_int(root_resolve(&plan, &e), -1, "-C without a root");
	finish();
	if (chdir(below("p")) != 0)
		BAIL("chdir");
}

static void test_home(void)
{
	begin(&backend_namespace, below("p"), NULL);
	set_home(below("p"));
	is_int(root_resolve(&plan, &e), -1, "HOME itself");
	finish();
	begin(&backend_namespace, top, NULL);
	set_home(below("p"));
	is_int(root_resolve(&plan, &e), -1, "what holds HOME");
	finish();
	begin(&backend_namespace, below("p/sub"), NULL);
	set_home(below("p"));
	is_int(root_resolve(&plan, &e), 0, "a folder in HOME");
	finish();
	begin(&backend_namespace, below("p"), NULL);
	set_home(below("p"));
	if (policy_option_rw(&policy, below("p"), &e) != 0)
		BAIL("%s", e.msg);
	is_int(root_resolve(&plan, &e), 0, "HOME that --rw names too");
	finish();
}

static void test_gone(void)
{
	if (mkdir(below("gone"), 0700) != 0 || chdir(below("gone")) != 0 ||
	    rmdir(below("gone")) != 0)
		BAIL("gone");
	begin(&backend_namespace, NULL, NULL);
	is_int(root_resolve(&plan, &e), -1, "a deleted folder");
	ok(strstr(e.msg, "deleted") != NULL, "is told: %s", e.msg);
	finish();
	begin(&backend_namespace, below("p"), NULL);
	is_int(root_resolve(&plan, &e), 0, "from a deleted folder to one that is there");
	is_str(plan.root, below("p"), "that one");
	ok(plan.cwd_outside == NULL, "the caller's folder has no name");
	finish();
	if (chdir(below("p")) != 0)
		BAIL("chdir");
}

static void test_system_folder(void)
{
	ok(root_is_system_folder("/usr") && root_is_system_folder("/usr/local/x") &&
	   root_is_system_folder("/etc/x") && root_is_system_folder("/proc/1"), "system folders");
	ok(!root_is_system_folder("/") && !root_is_system_folder("/usrx") &&
	   !root_is_system_folder("/home/usr") && !root_is_system_folder("/var/lib/x"), "others");
}

int main(void)
{
	char made[] = "/var/tmp/sbx-unit-root.XXXXXX";
	static const char *const folders[] = { "p", "p/sub", "p/sub/deep", "p/sub2", "p2", "q" };

	if (mkdtemp(made) == NULL || realpath(made, top) == NULL)
		BAIL("mkdtemp");
	for (size_t i = 0; i < MEM_COUNT(folders); i++)
		if (mkdir(below(folders[i]), 0700) != 0)
			BAIL("mkdir");
	if (chdir(below("p")) != 0 || symlink("sub", "link") != 0 || symlink("/usr", "out") != 0)
		BAIL("symlink");
	(void)close(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	test_cases();
	test_neighbour();
	test_chance();
	test_home();
	test_gone();
	test_system_folder();
	(void)unlink("link");
	(void)unlink("out");
	(void)unlink("file");
	for (size_t i = MEM_COUNT(folders); i-- > 0;)
		(void)rmdir(below(folders[i]));
	is_int(rmdir(top), 0, "nothing is left");
	return done_testing();
}
