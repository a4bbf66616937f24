/*
 * PT_GNU_RELRO of the running program (elf(5), dl_iterate_phdr(3)). Whole pages of the running
 * kernel only: on one with larger pages than the linker thought of, what shares a page with
 * writable data stays writable.
 */
#include "relro.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first object is the program itself: its errno, then the end of the walk. */
static int relro_of_program(struct dl_phdr_info *info, size_t size, void *errnum)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = (info->dlpi_addr + h->p_vaddr) & -page;
		uintptr_t end = (info->dlpi_addr + h->p_vaddr + h->p_memsz) & -page;

		if (h->p_type == PT_GNU_RELRO && start < end &&
		    mprotect((void *)start, end - start, PROT_READ) != 0)
			*(int *)errnum = errno;
	}
	return 1;
}

int relro_protect(struct err *e)
{
	int errnum = 0;

	(void)dl_iterate_phdr(relro_of_program, &errnum);
	return errnum == 0 ? 0 : err_sys(e, ERR_SETUP, errnum, "make our own tables read-only");
}
