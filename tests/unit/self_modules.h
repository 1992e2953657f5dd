/*
 * The modules of this very process, as the library would record them. For tests that read their
 * own stacks and symbols.
 */
#ifndef TEST_SELF_MODULES_H
#define TEST_SELF_MODULES_H

#include "symbolizer/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELF_MODULES_MAX 64

static void self_copy_build_id(struct module *module, const uint8_t *at, const uint8_t *end)
{
	while (at + sizeof(ElfW(Nhdr)) < end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const uint8_t *id = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);

		at = id + ((note->n_descsz + 3) & ~3u);
		if (note->n_type != NT_GNU_BUILD_ID || module->build_id)
			continue;
		module->build_id = calloc(2, note->n_descsz + 1);
		for (size_t i = 0; i < note->n_descsz; i++)
			sprintf(module->build_id + 2 * i, "%02x", id[i]);
	}
}

static int self_add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct modules *modules = arg;
	struct module *module = &modules->item[modules->count];
	char path[4096] = "";

	(void)size;
	if (modules->count++ >= SELF_MODULES_MAX)
		abort();
	if (!info->dlpi_name[0] && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		abort();
	*module = (struct module){.base = UINT64_MAX};
	module->path = strdup(path[0] ? path : info->dlpi_name);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type == PT_NOTE && phdr->p_align == 4)
			self_copy_build_id(module, (void *)start, (void *)(start + phdr->p_memsz));
		if (phdr->p_type != PT_LOAD)
			continue;
		if ((start & ~0xfffull) < module->base)
			module->base = start & ~0xfffull;
		if (start + phdr->p_memsz > module->end)
			module->end = start + phdr->p_memsz;
	}
	return 0;
}

static int self_compare_modules(const void *one, const void *other)
{
	uint64_t left = ((const struct module *)one)->base;
	uint64_t right = ((const struct module *)other)->base;

	return (left > right) - (left < right);
}

static void self_modules_init(struct modules *modules)
{
	modules->item = calloc(SELF_MODULES_MAX, sizeof(*modules->item));
	modules->count = 0;
	dl_iterate_phdr(self_add_module, modules);
	qsort(modules->item, modules->count, sizeof(*modules->item), self_compare_modules);
}

static void self_modules_finish(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->item[i].path);
		free(modules->item[i].build_id);
	}
	free(modules->item);
}

__attribute__((unused)) static void copy_truncated(const char *from, const char *to, size_t size)
{
	char *bytes = malloc(size);
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (!bytes || read(in, bytes, size) != (ssize_t)size)
		abort();
	if (write(out, bytes, size) != (ssize_t)size)
		abort();
	close(in);
	close(out);
	free(bytes);
}

#endif
