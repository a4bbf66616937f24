/*
 * The table of linux_syscalls.def in a form without pointers, so that a position-independent
 * executable needs no relocation for it: all names in one object, each found by its offset, and an
 * index by number. Includes <asm/unistd.h> only: a libc's own list may be older than the kernel
 * headers.
 */
#include "linux_syscalls.h"

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "linux_seccomp.h"

/* 32-bit ARM keeps six calls of its own far above the others (asm/unistd.h, __ARM_NR_BASE). */
#define PRIVATE_BASE 0x0f0000
#define PRIVATE_SPAN 8
#define PRIVATE 0x8000

/* Positions in the table; the members of the next three objects are in the same order. */
enum {
#define SYSCALL(name, class) AT_##name,
#define SYSCALL_PRIVATE(name, class) AT_##name,
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
	AT_END
};

struct names {
#define SYSCALL(name, class) char s_##name[sizeof #name];
#define SYSCALL_PRIVATE(name, class) char s_##name[sizeof #name];
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
};

static const struct names names = {
#define SYSCALL(name, class) #name,
#define SYSCALL_PRIVATE(name, class) #name,
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
};

static const struct entry {
	uint16_t name_at; /* offset into names */
	uint16_t nr;      /* of a private one: PRIVATE | what it is above PRIVATE_BASE */
	uint8_t class;    /* enum syscall_class */
} entries[] = {
#define SYSCALL(name, class) { offsetof(struct names, s_##name), __NR_##name, SYSCALL_##class },
#define SYSCALL_PRIVATE(name, class) \
	{ offsetof(struct names, s_##name), PRIVATE | (__ARM_NR_##name - PRIVATE_BASE), \
		SYSCALL_##class },
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
};

/* Number to position + 1; 0: a number that nobody uses. Two names for one number would not compile
 * (override-init). */
static const uint16_t by_number[] = {
#define SYSCALL(name, class) [__NR_##name] = AT_##name + 1,
#define SYSCALL_PRIVATE(name, class)
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
};

static const uint16_t by_private_number[PRIVATE_SPAN] = {
	[PRIVATE_SPAN - 1] = 0, /* an initializer must not be empty */
#define SYSCALL(name, class)
#define SYSCALL_PRIVATE(name, class) [__ARM_NR_##name - PRIVATE_BASE] = AT_##name + 1,
#include "linux_syscalls.def"
#undef SYSCALL
#undef SYSCALL_PRIVATE
};

#define NUMBER_SPAN ((int)(sizeof by_number / sizeof by_number[0]))

_Static_assert(sizeof(struct names) <= UINT16_MAX, "name_at is 16 bits wide");
_Static_assert(NUMBER_SPAN <= PRIVATE, "nr has room for the mark");

static const struct entry *syscalls_find(int nr)
{
	uint16_t at = 0;

	if (nr >= 0 && nr < NUMBER_SPAN)
		at = by_number[nr];
	else if (nr >= PRIVATE_BASE && nr < PRIVATE_BASE + PRIVATE_SPAN)
		at = by_private_number[nr - PRIVATE_BASE];
	return at > 0 ? &entries[at - 1] : NULL;
}

static const char *entry_name(const struct entry *entry)
{
	return (const char *)&names + entry->name_at;
}

static int entry_number(const struct entry *entry)
{
	return (entry->nr & PRIVATE) != 0 ? PRIVATE_BASE + (entry->nr & ~PRIVATE) : entry->nr;
}

int syscalls_next(int nr)
{
	for (nr++; nr < NUMBER_SPAN; nr++)
		if (by_number[nr] > 0)
			return nr;
	for (int i = nr > PRIVATE_BASE ? nr - PRIVATE_BASE : 0; i < PRIVATE_SPAN; i++)
		if (by_private_number[i] > 0)
			return PRIVATE_BASE + i;
	return -1;
}

enum syscall_class syscalls_class(int nr)
{
	const struct entry *entry = syscalls_find(nr);

	return entry != NULL ? (enum syscall_class)entry->class : SYSCALL_NOSYS;
}

const char *seccomp_syscall_name(int nr)
{
	const struct entry *entry = syscalls_find(nr);

	return entry != NULL ? entry_name(entry) : NULL;
}

int seccomp_syscall_number(const char *name)
{
	size_t low = 0, high = AT_END;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(name, entry_name(&entries[mid]));

		if (order == 0)
			return entry_number(&entries[mid]);
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

int seccomp_syscall_max(void)
{
	int max = 0;

	for (int nr = -1; (nr = syscalls_next(nr)) >= 0;)
		max = nr;
	return max;
}
