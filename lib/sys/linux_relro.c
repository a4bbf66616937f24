/*
 * PT_GNU_RELRO of the running program (elf(5)). Whole pages of the running
 * kernel only: on one with larger pages than the linker thought of, what shares a page with
 * writable data stays writable.
 */
#include "relro.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* Where the linker put the ELF header, which is at the front of what is loaded (ld(1)). */
extern const ElfW(Ehdr) own_header __asm__("__ehdr_start") __attribute__((visibility("hidden")));

int relro_protect(struct err *e)
{
	uintptr_t file = (uintptr_t)&own_header;
	uintptr_t base = own_header.e_type == ET_DYN ? file : 0;
	const ElfW(Phdr) *h = (const ElfW(Phdr) *)(file + own_header.e_phoff);
	uintptr_t page = getauxval(AT_PAGESZ);

	for (size_t i = 0; i < own_header.e_phnum; i++, h++) {
		uintptr_t start = (base + h->p_vaddr) & -page;
		uintptr_t end = (base + h->p_vaddr + h->p_memsz) & -page;

		if (h->p_type == PT_GNU_RELRO && start < end &&
		    mprotect((void *)start, end - start, PROT_READ) != 0)
			return err_errno(e, ERR_SETUP, "make our own tables read-only");
	}
	return 0;
}
