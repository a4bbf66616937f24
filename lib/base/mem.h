/*
 * Memory helpers: allocation that reports through struct err, cleanup attributes for single
 * resources, and the type-checked hand-over (MEM_TAKE). Nothing here ends the process.
 */
#ifndef SBX_BASE_MEM_H
#define SBX_BASE_MEM_H

#include <stddef.h>

#include "err.h"

void *mem_calloc(size_t count, size_t size_bytes, struct err *e); /* zeroed; NULL + ERR_NOMEM */
/* p stays valid on failure. */
void *mem_realloc_array(void *p, size_t count, size_t size_bytes, struct err *e);
char *mem_strdup(const char *s, struct err *e);
char *mem_strndup(const char *s, size_t len, struct err *e);
char *mem_printf(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mem_wipe(void *p, size_t len); /* zero that the compiler keeps */

void mem_cleanup_free(void *pp); /* for MEM_AUTOFREE: frees *(void **)pp */
#define MEM_AUTOFREE __attribute__((cleanup(mem_cleanup_free)))

/* Hand a pointer over: yields it and leaves NULL behind. */
#define MEM_TAKE(p)                                                                               \
	__extension__({                                                                    \
		__typeof__(p) mem_taken_ = (p);                                                   \
		(p) = NULL;                                                                       \
		mem_taken_;                                                                       \
	})

#define MEM_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#endif
