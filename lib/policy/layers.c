/*
 * Names of the isolation layers, made from the one list in layers.h, and the comma list that
 * --require takes. Must not know which backend gives which layer.
 */
#include "layers.h"

#include <string.h>

#include "shown.h"

static const struct {
	const char *name;
	const char *what;
} layer_rows[] = {
#define LAYER_ROW(upper, lower, text) [LAYER_##upper] = { #lower, text },
	LAYERS(LAYER_ROW)
#undef LAYER_ROW
};

const char *layer_name(enum layer layer)
{
	return layer_rows[layer].name;
}

const char *layer_what(enum layer layer)
{
	return layer_rows[layer].what;
}

/* One word of the list; LAYER_COUNT if no layer is called so. */
static enum layer layer_find(const char *word, size_t len)
{
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (strlen(layer_rows[i].name) == len && memcmp(layer_rows[i].name, word, len) == 0)
			return (enum layer)i;
	return LAYER_COUNT;
}

static int layer_refuse(const char *word, size_t len, struct err *e)
{
	struct shown shown;

	return err_set(e, ERR_USAGE,
		       "unknown layer '%s'; known are"
#define LAYER_WORD(upper, lower, text) " " #lower
		       LAYERS(LAYER_WORD),
#undef LAYER_WORD
		       shown_text(&shown, word, len));
}

int layer_parse_list(const char *text, uint32_t *bits, struct err *e)
{
	uint32_t found = 0;

	for (const char *word = text;;) {
		size_t len = strcspn(word, ",");
		enum layer layer = layer_find(word, len);
		if (layer == LAYER_COUNT)
			return layer_refuse(word, len, e);
		found |= LAYER_BIT(layer);
		if (!word[len])
			break;
		word += len + 1;
	}
	*bits = found;
	return 0;
}
