/* See out.h. */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../lib/base/limits.h"
#include "../lib/sys/fd.h"

static int out_write(const void *data, size_t len, struct err *e)
{
	if (fd_write_all(STDOUT_FILENO, data, len) == 0)
		return 0;
	if (errno == EPIPE)
		return err_set(e, ERR_STDOUT_GONE, "nobody reads our output");
	return err_errno(e, ERR_IO, "write to stdout");
}

int out_text(const char *text, struct err *e)
{
	return out_write(text, strlen(text), e);
}

int out_buf(const struct buf *b, struct err *e)
{
	return b->len == 0 ? 0 : out_write(b->data, b->len, e);
}

int out_copy_file(const char *from, const char *to, mode_t mode, struct err *e)
{
	struct buf b;
	int rc, fd;

	buf_init(&b, LIMIT_FRAME);
	rc = fd_read_regular(NULL, from, &b, e);
	fd = rc != 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (rc == 0 && (fd < 0 || fd_write_all(fd, b.data, b.len) != 0))
		rc = err_errno(e, ERR_IO, "%s", to);
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = err_errno(e, ERR_IO, "%s", to);
	buf_fini(&b);
	return rc;
}
