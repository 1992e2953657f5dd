/* SPDX-License-Identifier: Apache-2.0 */
/* Tells Valgrind's race detectors that the library's own data is used without locks on purpose. */
#include "racy.h"

#include <elf.h>

extern const Elf64_Ehdr own_head __asm__("__ehdr_start") __attribute__((visibility("hidden")));

void racy_image(void)
{
	const char *start = (const char *)&own_head;
	const Elf64_Phdr *part = (const void *)(start + own_head.e_phoff);
	uint64_t end = 0;

	for (uint32_t i = 0; i < own_head.e_phnum; i++)
		if (part[i].p_type == PT_LOAD && part[i].p_vaddr + part[i].p_memsz > end)
			end = part[i].p_vaddr + part[i].p_memsz;
	racy_memory(start, end);
}
