/*
 * spawn ROUNDS LABEL CMD [ARG...] [@@ LABEL CMD [ARG...]]...: run the commands in turn, ROUNDS
 * times each (A B C A B C...), and print a line a command: label, median and lowest-tenth wall time
 * in milliseconds, median user+system time of the process and all that it waited for, peak RSS in
 * KiB. Paired runs, so that a noisy machine hits all of them alike. stdin and stdout are /dev/null.
 * Exit 1 if a command fails once.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX 32

extern char **environ;

struct command {
	const char *label;
	char **argv;
	double *wall_ms, *cpu_ms;
	long peak_kib;
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double timeval_ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int run_once(struct command *c, size_t round, posix_spawn_file_actions_t *fa)
{
	struct rusage ru;
	double start = now_ms();
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, c->argv[0], fa, NULL, c->argv, environ) != 0) {
		fprintf(stderr, "spawn: cannot start %s\n", c->argv[0]);
		return -1;
	}
	if (wait4(pid, &status, 0, &ru) != pid)
		return -1;
	c->wall_ms[round] = now_ms() - start;
	c->cpu_ms[round] = timeval_ms(ru.ru_utime) + timeval_ms(ru.ru_stime);
	if (ru.ru_maxrss > c->peak_kib)
		c->peak_kib = ru.ru_maxrss;
	if (status != 0)
		fprintf(stderr, "spawn: %s ended with status 0x%x\n", c->label, (unsigned)status);
	return status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct command commands[COMMANDS_MAX];
	posix_spawn_file_actions_t fa;
	size_t rounds, count = 0;

	if (argc < 4)
		return 2;
	rounds = strtoul(argv[1], NULL, 10);
	for (int i = 2; i < argc && count < COMMANDS_MAX; i++) {
		commands[count].label = argv[i];
		commands[count].argv = argv + i + 1;
		commands[count].wall_ms = calloc(rounds, sizeof(double));
		commands[count].cpu_ms = calloc(rounds, sizeof(double));
		count++;
		while (i < argc && strcmp(argv[i], "@@") != 0)
			i++;
		argv[i] = NULL;
	}
	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	for (size_t r = 0; r < rounds; r++)
		for (size_t c = 0; c < count; c++)
			if (run_once(&commands[c], r, &fa) != 0)
				return 1;
	for (size_t c = 0; c < count; c++) {
		qsort(commands[c].wall_ms, rounds, sizeof(double), compare);
		qsort(commands[c].cpu_ms, rounds, sizeof(double), compare);
		printf("%s\t%.3f\t%.3f\t%.3f\t%ld\n", commands[c].label,
		    commands[c].wall_ms[rounds / 2], commands[c].wall_ms[rounds / 10],
		    commands[c].cpu_ms[rounds / 2], commands[c].peak_kib);
	}
	return 0;
}
