/* Names of the isolation layers and the list that --require takes. */
#include "lib/policy/layers.h"
#include "tap.h"

static void test_names(void)
{
	is_str(layer_name(LAYER_USER_NS), "user_ns", "the first layer");
	is_str(layer_name(LAYER_DIE_WITH_RUNNER), "die_with_runner", "the last layer");
	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		const char *name = layer_name((enum layer)i);
		uint32_t bits = 0;
		ok(strlen(layer_what((enum layer)i)) > 0, "%s says what it gives", name);
		ok(layer_parse_list(name, &bits, NULL) == 0 && bits == LAYER_BIT(i),
		   "%s alone is a list", name);
	}
}

static void test_lists(void)
{
	uint32_t bits = 0;

	is_int(layer_parse_list("landlock,seccomp", &bits, NULL), 0, "two layers");
	is_int(bits, LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_SECCOMP), "are two bits");
	is_int(layer_parse_list("view,view", &bits, NULL), 0, "one layer twice");
	is_int(bits, LAYER_BIT(LAYER_VIEW), "is one bit");
}

static void test_refusals(void)
{
	static const char *const bad[] = {
		"", ",", "view,", ",view", "view,,proc", "View", " view", "view ", "viewx", "vie",
		"all", "seccomp;landlock", "view\n",
	};
	struct err e = ERR_INIT;
	uint32_t bits = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err_clear(&e);
		is_int(layer_parse_list(bad[i], &bits, &e), -1, "bad list %zu is refused", i);
		is_int(e.kind, ERR_USAGE, "as a usage error");
		is_int(bits, 7, "and changes nothing");
	}
	layer_parse_list("view,landslide,proc", &bits, &e);
	ok(strstr(e.msg, "'landslide'"), "the unknown word is named: %s", e.msg);
	ok(!strstr(e.msg, "landslide,proc"), "and only it");
	ok(strstr(e.msg, " landlock ") && strstr(e.msg, " user_ns "), "known words are listed");
	ok(strstr(e.msg, "die_with_runner"), "to the last");
}

int main(void)
{
	test_names();
	test_lists();
	test_refusals();
	return done_testing();
}
