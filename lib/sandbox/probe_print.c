/* The probe's report as a table for people and as JSON for programs. */
#include <string.h>

#include "../base/mem.h"
#include "../json/json.h"
#include "probe.h"

/* above: the row printed before, or NULL. A reason that several rows share is printed once. */
static int put_row(const struct probe_row *row, const struct probe_row *above, bool want_colour,
    struct buf *out, struct err *e)
{
	bool is_told = above != NULL && strcmp(row->reason, above->reason) == 0 &&
		       strcmp(row->remedy, above->remedy) == 0;
	const char *mark = row->works ? "yes" : "no ";
	const char *on = !want_colour ? "" : row->works ? "\033[32m" : "\033[31m";

	if (buf_printf(out, e, "  %-16s %s%s%s  %s\n", row->name, on, mark,
		want_colour ? "\033[0m" : "", row->evidence) != 0)
		return -1;
	if (is_told)
		return 0;
	if (row->reason[0] != '\0' &&
	    buf_printf(out, e, "  %-16s      why: %s\n", "", row->reason) != 0)
		return -1;
	if (row->remedy[0] != '\0' &&
	    buf_printf(out, e, "  %-16s      do:  %s\n", "", row->remedy) != 0)
		return -1;
	return 0;
}

int probe_put_text(const struct probe_report *r, bool want_colour, struct buf *out, struct err *e)
{
	/* layers only when asked for, so that no run misses them */
	static const enum layer limits[] = { LAYER_MEMORY, LAYER_PIDS, LAYER_CPU };
	const char *before = "; limits that cannot be kept:";

	if (buf_printf(out, e,
		"machine: %s, uid %u, Landlock ABI %d%s\n\nlayers, each tried in a child:\n",
		r->kernel, r->uid, r->landlock_abi,
		r->is_container_like ? ", under a seccomp filter already" : "") != 0)
		return -1;
	for (int i = 0; i < LAYER_COUNT; i++)
		if (put_row(&r->layers[i], i == 0 ? NULL : &r->layers[i - 1], want_colour, out,
			e) != 0)
			return -1;
	if (buf_puts(out, "\nbackends, each by a real run:\n", e) != 0)
		return -1;
	for (size_t i = 0; i < r->backend_count; i++)
		if (put_row(&r->backends[i], NULL, want_colour, out, e) != 0)
			return -1;
	if (!r->choice.works)
		return buf_printf(
		    out, e, "\nauto: nothing can run a command here: %s\n", r->choice.reason);
	if (buf_printf(out, e, "\nauto takes: %s, %s%s", r->choice.name,
		r->choice.reason[0] == '\0' ? "with every layer" : "without ",
		r->choice.reason) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(limits); i++) {
		if (r->layers[limits[i]].works)
			continue;
		if (buf_printf(out, e, "%s %s", before, r->layers[limits[i]].name) != 0)
			return -1;
		before = "";
	}
	return buf_putc(out, '\n', e);
}

static void jw_row(struct jw *w, const struct probe_row *row)
{
	jw_object_begin(w);
	jw_key(w, "name");
	jw_str(w, row->name);
	jw_key(w, "works");
	jw_bool(w, row->works);
	jw_key(w, "evidence");
	jw_str(w, row->evidence);
	jw_key(w, "reason");
	jw_str(w, row->reason[0] != '\0' ? row->reason : NULL);
	jw_key(w, "remedy");
	jw_str(w, row->remedy[0] != '\0' ? row->remedy : NULL);
	jw_object_end(w);
}

int probe_put_json(const struct probe_report *r, struct buf *out, struct err *e)
{
	struct jw w;

	jw_init(&w, out, true);
	jw_object_begin(&w);
	jw_key(&w, "kernel");
	jw_str(&w, r->kernel);
	jw_key(&w, "uid");
	jw_u64(&w, r->uid);
	jw_key(&w, "under_seccomp");
	jw_bool(&w, r->is_container_like);
	jw_key(&w, "landlock_abi");
	jw_i64(&w, r->landlock_abi);
	jw_key(&w, "layers");
	jw_array_begin(&w);
	for (int i = 0; i < LAYER_COUNT; i++)
		jw_row(&w, &r->layers[i]);
	jw_array_end(&w);
	jw_key(&w, "backends");
	jw_array_begin(&w);
	for (size_t i = 0; i < r->backend_count; i++)
		jw_row(&w, &r->backends[i]);
	jw_array_end(&w);
	jw_key(&w, "auto");
	jw_object_begin(&w);
	jw_key(&w, "backend");
	jw_str(&w, r->choice.works ? r->choice.name : NULL);
	jw_key(&w, "applied");
	jw_array_begin(&w);
	for (int i = 0; i < LAYER_COUNT; i++)
		if ((r->choice_applied & LAYER_BIT(i)) != 0)
			jw_str(&w, layer_name((enum layer)i));
	jw_array_end(&w);
	jw_key(&w, "reason");
	jw_str(&w, r->choice.reason[0] != '\0' ? r->choice.reason : NULL);
	jw_object_end(&w);
	jw_object_end(&w);
	return jw_finish(&w, e);
}
