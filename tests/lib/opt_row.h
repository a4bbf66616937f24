/* A row of an option table with all of its fields, for the tests of such tables. */
#ifndef SBX_TESTS_OPT_ROW_H
#define SBX_TESTS_OPT_ROW_H

#define OPT_ROW(n, l, t, at, a, h, d, g, f, p, set) \
	{ \
		.name = n, .letter = l, .type = t, .offset = at, .arg = a, .help = h, .dflt = d, \
		.group = g, .flags = f, .parse = p, .set_offset = set \
	}

#endif
