/* The project's own unit tests that look at the kernel, on this one; each becomes a line. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "guest.h"
#include "tap.h"

#define UNITS "/unit"

static struct run r;

/* The lines of a failed unit that say why. */
static void show_failures(void)
{
	char *save = NULL;

	for (char *l = strtok_r(r.out, "\n", &save); l != NULL; l = strtok_r(NULL, "\n", &save))
		if (strncmp(l, "not ok", 6) == 0 || strncmp(l, "Bail", 4) == 0)
			diag("%s", l);
	r.out[0] = '\0';
	run_show(&r);
}

void check_units(void)
{
	DIR *d = opendir(UNITS);
	char path[300];
	int count = 0;

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof path, UNITS "/%s", e->d_name);
		RUN(&r, &root, path);
		count++;
		if (!ok(r.status == 0 && strstr(r.out, "\n1..") != NULL, "unit test %s", e->d_name))
			show_failures();
	}
	if (d != NULL)
		(void)closedir(d);
	ok(count > 0, "there are unit tests (%d)", count);
}
