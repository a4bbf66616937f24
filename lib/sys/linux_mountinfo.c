/*
 * The parser of /proc/self/mountinfo: fields are cut out in place and their octal escapes undone in
 * place. Must not trust the text further than the documented form: mount points and sources are
 * chosen by whoever mounted.
 */
#include "linux_mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define MOUNTINFO_PATH "/proc/self/mountinfo"
#define MOUNTINFO_CHUNK_BYTES 16384 /* a read of seq_file gives a page or a few */

int mountinfo_load(struct buf *b, struct err *e)
{
	int fd = open(MOUNTINFO_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_IO, "open %s", MOUNTINFO_PATH);
	ssize_t n;
	do {
		unsigned char *room = buf_reserve(b, MOUNTINFO_CHUNK_BYTES, e);
		if (!room) {
			n = -1;
			err_wrap(e, "read %s", MOUNTINFO_PATH);
			break;
		}
		do
			n = read(fd, room, MOUNTINFO_CHUNK_BYTES);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			err_errno(e, ERR_IO, "read %s", MOUNTINFO_PATH);
		else
			buf_commit(b, (size_t)n);
	} while (n > 0);
	close(fd);
	return n < 0 ? -1 : 0;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Space, tab, newline, backslash and '#' come as \ooo (mangle() of fs/proc_namespace.c). */
static void mountinfo_unescape(char *s)
{
	char *to = s;
	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && is_octal(s[2]) &&
		    is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* The field at *cursor, ended in place; NULL after the last. A source may be empty. */
static char *mountinfo_take_field(char **cursor)
{
	char *field = *cursor;
	if (!field)
		return NULL;
	char *space = strchr(field, ' ');
	if (space)
		*space++ = '\0';
	*cursor = space;
	return field;
}

static const char *mountinfo_take_text(char **cursor)
{
	char *field = mountinfo_take_field(cursor);
	if (field)
		mountinfo_unescape(field);
	return field;
}

static bool mountinfo_take_id(char **cursor, int *out)
{
	const char *s = mountinfo_take_field(cursor);
	if (!s || !*s)
		return false;
	int n = 0;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > (INT_MAX - 9) / 10)
			return false;
		n = n * 10 + (*s - '0');
	}
	*out = n;
	return true;
}

/* "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/sda1 rw": optional up to the dash. */
static bool mountinfo_parse_line(char *line, struct mountinfo_entry *m)
{
	if (!mountinfo_take_id(&line, &m->mount_id) || !mountinfo_take_id(&line, &m->parent_id) ||
	    !mountinfo_take_field(&line))
		return false;
	m->root = mountinfo_take_text(&line);
	m->mount_point = mountinfo_take_text(&line);
	m->options = mountinfo_take_text(&line);
	const char *optional;
	do
		optional = mountinfo_take_field(&line);
	while (optional && strcmp(optional, "-") != 0);
	m->fs_type = mountinfo_take_text(&line);
	m->source = mountinfo_take_text(&line);
	m->super_options = mountinfo_take_text(&line);
	return m->super_options != NULL;
}

bool mountinfo_next(struct buf *b, size_t *offset, struct mountinfo_entry *m)
{
	while (*offset < b->len) {
		char *line = (char *)b->data + *offset;
		char *end = memchr(line, '\n', b->len - *offset);
		if (!end)
			return false; /* the kernel ends every line: this one was cut */
		*end = '\0';
		*offset += (size_t)(end - line) + 1;
		if (mountinfo_parse_line(line, m))
			return true;
	}
	return false;
}

bool mountinfo_has_word(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *word = list; word; word = strchr(word, ',')) {
		if (*word == ',')
			word++;
		if (strncmp(word, name, len) == 0 && (word[len] == ',' || word[len] == '\0'))
			return true;
	}
	return false;
}
