/* Linux: PT_INTERP of elf(5), whose absence execve(2) tells as ENOENT of the program itself. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "missing_os.h"

void missing_os_interpreter(const char *head, size_t len, char *interp, size_t size)
{
	Elf64_Ehdr eh;

	if (len < sizeof eh || memcmp(head, ELFMAG, SELFMAG) != 0 || head[EI_CLASS] != ELFCLASS64)
		return;
	memcpy(&eh, head, sizeof eh);
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;
		uint64_t at = eh.e_phoff + (uint64_t)i * sizeof ph;

		if (at > (uint64_t)len - sizeof ph)
			return;
		memcpy(&ph, head + at, sizeof ph);
		if (ph.p_type == PT_INTERP && ph.p_offset < (uint64_t)len) {
			(void)snprintf(interp, size, "%.*s", (int)((uint64_t)len - ph.p_offset),
			    head + ph.p_offset);
			return;
		}
	}
}
