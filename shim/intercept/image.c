/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the kernel and the loader left for this image: its environment, the clock, the tool that runs it. */
#include <elf.h>

#include "arch.h"
#include "elf.h"
#include "racy.h"
#include "sys.h"

static void find_descriptors(void)
{
	uint64_t (*self)(void) = (uint64_t(*)(void))elf_next("pthread_self", NULL);

	if (self)
		sys_pthread_before = arch_thread_pointer() - self();
}

void sys_start(const char *const *envp)
{
	const char *const *end = envp;
	const Elf64_auxv_t *aux;

	racy_image();
	sys_image.checked = racy_request(RACY_RUNNING, NULL, 0);
	sys_image.env = envp;
	sys_image.secure = true; /* unless the kernel says otherwise */
	while (*end)
		end++;
	/*
	 * The loader removes variables from a privileged program's environment, so several null
	 * pointers may end it.
	 */
	while (!*end)
		end++;
	for (aux = (const Elf64_auxv_t *)(const void *)end; aux->a_type != AT_NULL; aux++) {
		if (aux->a_type == AT_SECURE)
			sys_image.secure = aux->a_un.a_val != 0;
		if (aux->a_type == AT_SYSINFO_EHDR)
			sys_image.clock = (int (*)(int, struct timespec *))elf_find_in_image(
				(const void *)aux->a_un.a_val, ARCH_VDSO_CLOCK);
	}
	if (ARCH_THREAD_APART)
		find_descriptors();
}
