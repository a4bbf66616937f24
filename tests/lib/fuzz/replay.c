/*
 * Replays a corpus through one fuzz target where libFuzzer is not linked: every file
 * (or every file of a folder) named on the command line is one input and one TAP line.
 * Without arguments: the folder tests/fuzz/corpus/NAME of a program called fuzz_NAME.
 * A target that crashes, or that a sanitizer stops, ends without a plan and so fails.
 * Must not change the corpus.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum { REPLAY_INPUT_MAX = 1 << 20 };

static void replay_file(const char *path)
{
	/* The exact size on the heap, so that one byte too far is seen by ASan. */
	unsigned char *whole = malloc(REPLAY_INPUT_MAX);
	unsigned char *exact = NULL;
	FILE *f = fopen(path, "rbe");
	size_t n;

	if (whole == NULL || f == NULL)
		BAIL("%s: %s", path, strerror(errno));
	n = fread(whole, 1, REPLAY_INPUT_MAX, f);
	fclose(f);
	exact = malloc(n == 0 ? 1 : n);
	if (exact == NULL)
		BAIL("%s: no memory", path);
	memcpy(exact, whole, n);
	free(whole);
	ok(LLVMFuzzerTestOneInput(exact, n) == 0, "%s", path);
	free(exact);
}

static void replay_folder(const char *path)
{
	struct dirent **names = NULL;
	char file[4096];
	int i, n = scandir(path, &names, NULL, alphasort);

	if (n < 0)
		BAIL("%s: %s", path, strerror(errno));
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
			replay_file(file);
		}
		free(names[i]);
	}
	free(names);
}

static void replay_own_corpus(const char *program)
{
	const char *root = getenv("SBX_ROOT");
	const char *name = strrchr(program, '/');
	char path[4096];

	name = name == NULL ? program : name + 1;
	if (strncmp(name, "fuzz_", 5) == 0)
		name += 5;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", root == NULL ? "." : root, name);
	replay_folder(path);
}

int main(int argc, char **argv)
{
	struct stat st;
	int i;

	if (argc == 1)
		replay_own_corpus(argv[0]);
	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st) != 0)
			BAIL("%s: %s", argv[i], strerror(errno));
		if (S_ISDIR(st.st_mode))
			replay_folder(argv[i]);
		else
			replay_file(argv[i]);
	}
	return done_testing();
}
