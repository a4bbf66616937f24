/*
 * See sbpl.h. The strict profile begins with "allow default" and takes away: a list of all that a
 * program needs differs from release to release, and one that is too short stops every program. An
 * operation that not every release knows is named under "when defined?", since an unknown word
 * makes the system refuse the whole profile. A wildcard does not reach every operation of its name
 * (file-clone, file-link, file-map-executable), so those are named.
 */
#include "sbpl.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "view.h"

void sbpl_init(struct sbpl *s)
{
	memset(s, 0, sizeof *s);
}

void sbpl_fini(struct sbpl *s)
{
	strv_fini(&s->private);
	strv_fini(&s->hidden);
	for (size_t i = 0; i < s->place_count; i++)
		free(s->places[i].path);
	free(s->places);
	sbpl_init(s);
}

int sbpl_add_place(struct sbpl *s, const char *path, enum sbpl_access access, struct err *e)
{
	char *copy;

	if (s->place_count == s->place_alloc) {
		size_t n = s->place_alloc == 0 ? 16 : s->place_alloc * 2;
		void *p = mem_realloc_array(s->places, n, sizeof *s->places, e);

		if (p == NULL)
			return -1;
		s->places = p;
		s->place_alloc = n;
	}
	copy = mem_strdup(path, e);
	if (copy == NULL)
		return -1;
	s->places[s->place_count++] = (struct sbpl_place){ copy, access };
	return 0;
}

/* The deepest place in which path lies; NULL. */
static const struct sbpl_place *sbpl_covering(const struct sbpl *s, const char *path)
{
	const struct sbpl_place *best = NULL;

	for (size_t i = 0; i < s->place_count; i++)
		if (view_path_is_below(path, s->places[i].path) &&
		    (best == NULL || strlen(s->places[i].path) >= strlen(best->path)))
			best = &s->places[i];
	return best;
}

bool sbpl_is_writable(const struct sbpl *s, const char *path)
{
	const struct sbpl_place *p = sbpl_covering(s, path);

	return p != NULL && p->access == SBPL_READ_WRITE && strcmp(p->path, path) != 0;
}

/*
 * Inside a string only the quote and the backslash mean something, and how other escapes are read
 * is nowhere promised: so no other is written, and what would need one is refused. File names are
 * UTF-8 on APFS and HFS+.
 */
int sbpl_put_string(struct buf *out, const char *text, struct err *e)
{
	struct str_shown shown;

	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return err_set(e, ERR_REFUSED,
			    "%s: a path with control characters cannot be named in a profile; "
			    "rename it",
			    str_shown(&shown, text, strlen(text)));
	if (!str_is_utf8(text, strlen(text)))
		return err_set(e, ERR_REFUSED,
		    "%s: a path that is not UTF-8 cannot be named in a profile; rename it",
		    str_shown(&shown, text, strlen(text)));
	if (buf_putc(out, '"', e) != 0)
		return -1;
	for (const char *p = text; *p != '\0'; p++)
		if (((*p == '"' || *p == '\\') && buf_putc(out, '\\', e) != 0) ||
		    buf_putc(out, *p, e) != 0)
			return -1;
	return buf_putc(out, '"', e);
}

/* (ACTION (FILTER "path")) */
static int put_rule(
    struct buf *out, const char *action, const char *filter, const char *path, struct err *e)
{
	if (buf_printf(out, e, "(%s (%s ", action, filter) != 0 ||
	    sbpl_put_string(out, path, e) != 0)
		return -1;
	return buf_puts(out, "))\n", e);
}

/* The same for one operation that not every release has. */
static int put_newer_rule(struct buf *out, const char *verb, const char *operation,
    const char *filter, const char *path, struct err *e)
{
	if (buf_printf(out, e, "(when (defined? '%s) (%s %s (%s ", operation, verb, operation,
		filter) != 0 ||
	    sbpl_put_string(out, path, e) != 0)
		return -1;
	return buf_puts(out, ")))\n", e);
}

/* Nothing of it: no content, no names, no other name for it. */
static int put_closed(struct buf *out, const char *path, struct err *e)
{
	static const char *const newer[] = { "file-map-executable", "file-link", "file-clone" };

	if (put_rule(out, "deny file-read* file-write*", "subpath", path, e) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(newer); i++)
		if (put_newer_rule(out, "deny", newer[i], "subpath", path, e) != 0)
			return -1;
	return put_rule(out, "deny network-bind network-outbound", "subpath", path, e);
}

static int put_network(const struct sbpl *s, struct buf *out, struct err *e)
{
	if (s->net == NET_HOST) /* sockets of other programs are no network */
		return buf_puts(out,
		    "(deny network-outbound (remote unix-socket))\n"
		    "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n",
		    e);
	return buf_puts(out, "(deny network*)\n(deny system-socket)\n", e);
}

/* What other programs do for whoever asks them is done outside of this sandbox: pasteboard, opening
 * documents, scripting, jobs of launchd, keychains, the user's settings. */
static int put_services(const struct sbpl *s, struct buf *out, struct err *e)
{
	static const char text[] =
	    "(deny mach-lookup)\n"
	    "(allow mach-lookup"
	    " (global-name \"com.apple.system.opendirectoryd.libinfo\")"
	    " (global-name \"com.apple.system.opendirectoryd.membership\")"
	    " (global-name \"com.apple.system.notification_center\")"
	    " (global-name \"com.apple.logd\"))\n";
	static const char host[] =
	    "(allow mach-lookup"
	    " (global-name \"com.apple.SystemConfiguration.configd\")"
	    " (global-name \"com.apple.SystemConfiguration.DNSConfiguration\")"
	    " (global-name \"com.apple.trustd\")"
	    " (global-name \"com.apple.trustd.agent\"))\n";
	static const char *const denied[] = { "mach-register", "mach-priv*", "appleevent-send",
		"lsopen", "job-creation", "authorization-right-obtain",
		"distributed-notification-post", "user-preference-write", "iokit-open", "nvram*" };

	if (buf_puts(out, text, e) != 0 || (s->net == NET_HOST && buf_puts(out, host, e) != 0))
		return -1;
	for (size_t i = 0; i < MEM_COUNT(denied); i++)
		if (buf_printf(out, e, "(when (defined? '%s) (deny %s))\n", denied[i],
			denied[i]) != 0)
			return -1;
	/* other processes: their arguments, environments and lives */
	return buf_puts(out,
	    "(deny process-info*)\n(allow process-info* (target same-sandbox))\n"
	    "(deny signal)\n(allow signal (target same-sandbox))\n",
	    e);
}

static int put_devices(const struct sbpl *s, struct buf *out, struct err *e)
{
	if (buf_puts(out,
		"(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") "
		"(subpath \"/dev/fd\"))\n",
		e) != 0)
		return -1;
	/* not /dev/ttys*: the user's other terminals */
	return s->want_tty ? buf_puts(out, "(allow file-write-data (literal \"/dev/tty\"))\n", e) :
			     0;
}

/* Programs look at each folder on the way to where they are. */
static int put_way_to(const struct sbpl *s, const char *path, struct buf *out, struct err *e)
{
	for (const char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
		MEM_AUTOFREE char *folder = mem_strndup(path, (size_t)(end - path), e);
		bool is_private = false;

		if (folder == NULL)
			return -1;
		for (size_t i = 0; i < s->private.n; i++)
			is_private |= view_path_is_below(folder, s->private.v[i]);
		if (is_private &&
		    put_rule(out, "allow file-read-metadata", "literal", folder, e) != 0)
			return -1;
	}
	return 0;
}

/*
 * Whatever a rule says of a path, it does not say of the same thing under another name: each place,
 * and in a writable place each folder above what a rule takes away again, must not be renamed or
 * removed.
 */
static int put_pin(struct buf *out, const char *path, struct err *e)
{
	return put_rule(out, "deny file-write-unlink", "literal", path, e);
}

static int put_pins_above(const struct sbpl *s, const char *path, struct buf *out, struct err *e)
{
	for (const char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
		MEM_AUTOFREE char *folder = mem_strndup(path, (size_t)(end - path), e);

		if (folder == NULL ||
		    (sbpl_is_writable(s, folder) && put_pin(out, folder, e) != 0))
			return -1;
	}
	return 0;
}

static int put_place(
    const struct sbpl *s, const struct sbpl_place *p, struct buf *out, struct err *e)
{
	const char *filter = p->access == SBPL_PROGRAM ? "literal" : "subpath";

	if (put_way_to(s, p->path, out, e) != 0 ||
	    put_rule(out, "allow file-read*", filter, p->path, e) != 0 ||
	    put_newer_rule(out, "allow", "file-map-executable", filter, p->path, e) != 0)
		return -1;
	if (p->access != SBPL_READ_WRITE) {
		/* a second name in a writable place would make it writable */
		if (put_newer_rule(out, "deny", "file-link", filter, p->path, e) != 0)
			return -1;
		return put_rule(
		    out, "deny file-write* network-bind network-outbound", filter, p->path, e);
	}
	if (put_rule(out, "allow file-write*", filter, p->path, e) != 0 ||
	    put_newer_rule(out, "allow", "file-link", filter, p->path, e) != 0 ||
	    put_newer_rule(out, "allow", "file-clone", filter, p->path, e) != 0)
		return -1;
	return put_rule(out, "allow network*", filter, p->path, e);
}

static size_t depth_of(const char *path)
{
	size_t n = 0;

	for (; *path != '\0'; path++)
		n += *path == '/';
	return n;
}

/* Stable insertion sort: the deeper one says more, so it comes later. */
static void sbpl_sort(struct sbpl *s)
{
	for (size_t i = 1; i < s->place_count; i++)
		for (size_t j = i;
		     j > 0 && depth_of(s->places[j].path) < depth_of(s->places[j - 1].path); j--) {
			struct sbpl_place t = s->places[j];

			s->places[j] = s->places[j - 1];
			s->places[j - 1] = t;
		}
}

static int put_all_pins(const struct sbpl *s, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < s->place_count; i++)
		if (put_pin(out, s->places[i].path, e) != 0 ||
		    put_pins_above(s, s->places[i].path, out, e) != 0)
			return -1;
	for (size_t i = 0; i < s->hidden.n; i++)
		if (put_pins_above(s, s->hidden.v[i], out, e) != 0)
			return -1;
	return 0;
}

static int put_files(const struct sbpl *s, struct buf *out, struct err *e)
{
	if (buf_puts(out, "(deny file-write*)\n(when (defined? 'file-link) (deny file-link))\n",
		e) != 0 ||
	    put_devices(s, out, e) != 0)
		return -1;
	for (size_t i = 0; i < s->private.n; i++)
		if (put_closed(out, s->private.v[i], e) != 0)
			return -1;
	for (size_t i = 0; i < s->place_count; i++)
		if (put_place(s, &s->places[i], out, e) != 0)
			return -1;
	for (size_t i = 0; i < s->hidden.n; i++)
		if (put_closed(out, s->hidden.v[i], e) != 0)
			return -1;
	if (put_all_pins(s, out, e) != 0)
		return -1;
	return buf_puts(out,
	    "(deny file-write-setugid)\n"
	    "(when (defined? 'file-mount) (deny file-mount))\n"
	    "(when (defined? 'file-unmount) (deny file-unmount))\n",
	    e);
}

int sbpl_put(struct sbpl *s, struct buf *out, struct err *e)
{
	if (!s->is_strict)
		return buf_printf(out, e, "(version 1)%s(allow default)",
		    s->net == NET_HOST ? "" : "(deny network*)");
	sbpl_sort(s);
	if (buf_puts(out, "(version 1)\n(allow default)\n", e) != 0 ||
	    put_network(s, out, e) != 0 || put_services(s, out, e) != 0)
		return -1;
	return put_files(s, out, e);
}
