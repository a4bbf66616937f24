/*
 * A program that takes one resource until it has its share or is refused; the victim of the limit
 *tests. Static and small, so that it runs in every view and its own footprint hides nothing.
 *
 *	hog mem BYTES             anonymous memory, every page touched
 *	hog tmpfs DIR BYTES       a file in DIR
 *	hog memfd BYTES           an unnamed file in memory (counted by no rlimit but FSIZE)
 *	hog pipes BYTES           pipe buffers, all of them kernel memory
 *	hog procs N               N children that sleep; says how many worked, ends them all
 *	hog cpu SECONDS [THREADS] spin that long; says how much processor time it got
 *	hog out BYTES [stderr]    print that much on stdout or stderr
 *
 * BYTES may end in k, m or g. One line on stdout says what was had ("mem 1048576"); with `out`
 *nothing but the payload. Exit status: 0 all of it; 2 usage; 10 refused by the kernel (the line
 *says how far it came, stderr says why); 11 it failed in some other way. Killed: whoever started it
 *sees the signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOG_OK = 0, HOG_USAGE = 2, HOG_REFUSED = 10, HOG_FAILED = 11 };

#define HOG_CHUNK_BYTES 65536UL
#define HOG_PROCS_MAX 100000UL
#define HOG_THREADS_MAX 64UL

static char hog_chunk[HOG_CHUNK_BYTES];

static int hog_report(const char *what, uint64_t had, uint64_t wanted)
{
	int errnum = errno;

	printf("%s %llu\n", what, (unsigned long long)had);
	fflush(stdout);
	if (had >= wanted)
		return HOG_OK;
	fprintf(stderr, "hog: %s: %llu of %llu: %s\n", what, (unsigned long long)had,
	    (unsigned long long)wanted, strerror(errnum));
	return HOG_REFUSED;
}

static bool hog_number(const char *s, uint64_t *out)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	if (errno != 0)
		return false;
	int shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
	*out <<= shift;
	return end[shift != 0] == '\0';
}

static int hog_mem(uint64_t bytes)
{
	uint64_t had = 0;

	while (had < bytes) {
		char *p = mmap(NULL, HOG_CHUNK_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			break;
		memset(p, 'x', HOG_CHUNK_BYTES);
		had += HOG_CHUNK_BYTES;
	}
	return hog_report("mem", had, bytes);
}

static int hog_file(const char *what, int fd, uint64_t bytes)
{
	uint64_t had = 0;

	if (fd < 0) {
		fprintf(stderr, "hog: %s: %s\n", what, strerror(errno));
		return HOG_FAILED;
	}
	while (had < bytes) {
		ssize_t n = write(fd, hog_chunk, HOG_CHUNK_BYTES);
		if (n <= 0)
			break;
		had += (uint64_t)n;
	}
	return hog_report(what, had, bytes);
}

static int hog_tmpfs(const char *dir, uint64_t bytes)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/hog.%d", dir, (int)getpid());
	int rc =
	    hog_file("tmpfs", open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), bytes);
	unlink(path);
	return rc;
}

static int hog_pipes(uint64_t bytes)
{
	uint64_t had = 0;

	while (had < bytes) {
		int fds[2];
		ssize_t n;
		if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
			break;
		while ((n = write(fds[1], hog_chunk, 4096)) > 0)
			had += (uint64_t)n;
	}
	return hog_report("pipes", had, bytes);
}

static int hog_procs(uint64_t count)
{
	uint64_t had = 0;
	pid_t *pids = calloc(count + 1, sizeof *pids);

	if (!pids)
		return HOG_FAILED;
	while (had < count) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0)
			for (;;)
				pause();
		pids[had++] = pid;
	}
	int rc = hog_report("procs", had, count);
	for (uint64_t i = 0; i < had; i++)
		kill(pids[i], SIGKILL);
	for (uint64_t i = 0; i < had; i++)
		waitpid(pids[i], NULL, 0);
	free(pids);
	return rc;
}

static uint64_t hog_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void *hog_spin(void *until_ms)
{
	while (hog_clock_ms() < *(uint64_t *)until_ms)
		continue;
	return NULL;
}

static int hog_cpu(uint64_t seconds, uint64_t threads)
{
	uint64_t until_ms = hog_clock_ms() + seconds * 1000;
	pthread_t ids[HOG_THREADS_MAX];
	uint64_t started = 1;
	struct rusage usage;

	for (; started < threads; started++)
		if (pthread_create(&ids[started], NULL, hog_spin, &until_ms) != 0)
			break;
	hog_spin(&until_ms);
	for (uint64_t i = 1; i < started; i++)
		pthread_join(ids[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("cpu_ms %llu\n",
	    (unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
		(unsigned long long)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000);
	return started < threads ? HOG_REFUSED : HOG_OK;
}

static int hog_out(uint64_t bytes, int fd)
{
	while (bytes) {
		ssize_t n =
		    write(fd, hog_chunk, bytes < HOG_CHUNK_BYTES ? (size_t)bytes : HOG_CHUNK_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return HOG_FAILED;
		bytes -= (uint64_t)n;
	}
	return HOG_OK;
}

static int hog_usage(void)
{
	fputs("usage: hog mem|memfd|pipes BYTES | tmpfs DIR BYTES | procs N | cpu SECONDS "
	      "[THREADS] | "
	      "out BYTES [stderr]\n",
	    stderr);
	return HOG_USAGE;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	bool has_dir = strcmp(what, "tmpfs") == 0;
	uint64_t amount, threads = 1;

	memset(hog_chunk, 'x', sizeof hog_chunk);
	if (argc < 3 || (has_dir && argc < 4) || !hog_number(argv[has_dir ? 3 : 2], &amount))
		return hog_usage();
	if (has_dir)
		return hog_tmpfs(argv[2], amount);
	if (strcmp(what, "mem") == 0)
		return hog_mem(amount);
	if (strcmp(what, "memfd") == 0)
		return hog_file("memfd", memfd_create("hog", MFD_CLOEXEC), amount);
	if (strcmp(what, "pipes") == 0)
		return hog_pipes(amount);
	if (strcmp(what, "procs") == 0 && amount <= HOG_PROCS_MAX)
		return hog_procs(amount);
	if (strcmp(what, "out") == 0)
		return hog_out(amount, argc > 3 && strcmp(argv[3], "stderr") == 0 ? 2 : 1);
	if (strcmp(what, "cpu") == 0 && (argc < 4 || hog_number(argv[3], &threads)) &&
	    threads <= HOG_THREADS_MAX)
		return hog_cpu(amount, threads);
	return hog_usage();
}
