/*
 * The small interface files of a control group: numbers, "key value" lines and lists of processes.
 * Raw throughout: below a given descriptor, on the stack, no allocation; used in guardians and in
 * children that share memory. A number that was written counts only when it reads back.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/str.h"
#include "fd.h"
#include "linux_cgroup_priv.h"
#include "path_os.h"

bool cgroup_parse_number(const char **text, uint64_t *value)
{
	const char *s = *text;
	uint64_t n = 0;
	for (; *s >= '0' && *s <= '9'; s++) {
		unsigned digit = (unsigned)(*s - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	bool has_digits = s > *text;
	*text = s;
	*value = n;
	return has_digits;
}

static bool parse_word(const char *s, uint64_t *value)
{
	if (strncmp(s, "max", 3) == 0) {
		*value = UINT64_MAX;
		return true;
	}
	return cgroup_parse_number(&s, value) && (*s == '\0' || *s == '\n');
}

int cgroup_file_get(int dir_fd, const char *name, uint64_t *value)
{
	char text[CGROUP_TEXT_MAX];
	ssize_t len = fd_read_small(dir_fd, name, text, sizeof text);
	if (len < 0)
		return (int)len;
	return parse_word(text, value) ? 0 : -EINVAL;
}

int cgroup_file_get_key(int dir_fd, const char *name, const char *key, uint64_t *value)
{
	char text[CGROUP_TEXT_MAX];
	ssize_t len = fd_read_small(dir_fd, name, text, sizeof text);
	if (len < 0)
		return (int)len;
	size_t key_len = strlen(key);
	for (const char *line = text; *line;) {
		if (strncmp(line, key, key_len) == 0 && line[key_len] == ' ')
			return parse_word(line + key_len + 1, value) ? 0 : -EINVAL;
		const char *end = strchr(line, '\n');
		line = end ? end + 1 : "";
	}
	return -ENOENT;
}

int cgroup_file_set(int dir_fd, const char *name, uint64_t value, uint64_t slack)
{
	char text[32];
	(void)snprintf(text, sizeof text, "%" PRIu64, value);
	int rc = fd_write_small(dir_fd, name, text);
	if (rc < 0)
		return rc;
	uint64_t now;
	rc = cgroup_file_get(dir_fd, name, &now);
	if (rc < 0)
		return rc;
	return now <= value && value - now <= slack && now != UINT64_MAX ? 0 : -ERANGE;
}

bool cgroup_file_exists(int dir_fd, const char *name)
{
	return path_os_may(dir_fd, name, F_OK);
}

int cgroup_file_each_pid(int dir_fd, const char *name, void (*visit)(pid_t pid, void *arg),
    void *arg)
{
	char text[CGROUP_TEXT_MAX];
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	pid_t pid = 0;
	ssize_t n;
	while ((n = read(fd, text, sizeof text)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] != '\n') {
				pid = pid * 10 + (text[i] - '0');
				continue;
			}
			visit(pid, arg);
			pid = 0;
		}
	}
	int rc = n < 0 ? -errno : 0;
	fd_close(&fd);
	return rc;
}

struct only_self {
	pid_t self;
	bool is_seen;
	bool has_other;
};

static void only_self_visit(pid_t pid, void *arg)
{
	struct only_self *s = arg;
	if (pid == s->self)
		s->is_seen = true;
	else
		s->has_other = true;
}

bool cgroup_file_has_self(int dir_fd, const char *name, bool *has_other)
{
	struct only_self s = { .self = getpid() };
	int rc = cgroup_file_each_pid(dir_fd, name, only_self_visit, &s);
	*has_other = s.has_other;
	return rc == 0 && s.is_seen;
}

bool cgroup_file_only_self(int dir_fd, const char *name)
{
	bool has_other;
	return cgroup_file_has_self(dir_fd, name, &has_other) && !has_other;
}
