/* A row of an option table with all of its fields, for the tests of such tables. */
#ifndef SBX_TESTS_OPT_ROW_H
#define SBX_TESTS_OPT_ROW_H

#define OPT_ROW(n, l, t, at, a, h, d, g, f, p, set) \
	{ \
		.name = n, .letter = l, .type = t, .offset = at, .arg = a, .help = h, .dflt = d, \
		.group = g, .flags = f, .parse = p, .set_offset = set \
	}

/* Rows of the types that store a value; AT(member) is the offset into the test's own target. */
#define OPT_ROWS_WITH_VALUES \
	OPT_ROW("verbose", 'v', OPT_COUNT, AT(verbose), NULL, "", NULL, NULL, OPT_REPEATS, \
	    NULL, 0), \
	OPT_ROW("root", 'r', OPT_STRING, AT(root), "DIR", "", NULL, NULL, 0, NULL, 0), \
	OPT_ROW("memory", 'm', OPT_SIZE, AT(memory), "SIZE", "", NULL, NULL, 0, NULL, \
	    AT(is_memory_set)), \
	OPT_ROW("timeout", 't', OPT_DURATION, AT(timeout), "DUR", "", NULL, NULL, 0, NULL, 0)

#endif
