/* SPDX-License-Identifier: Apache-2.0 */
/* Opens core files: checks what they are, and finds their segments. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/guard.h"
#include "../base/plainfile.h"
#include "../proc/files/user.h"
#include "core_parts.h"

/* ---- the file ---- */

static void core_unmap(struct core *core)
{
	if (core->is_mapped) {
		guard_remove(core->bytes);
		munmap((void *)(uintptr_t)core->bytes, core->size);
	}
	core->bytes = NULL;
	core->is_mapped = false;
}

/* Of a big core only the pages are read that are looked at. */
static char *map_core(struct core *core, int fd)
{
	struct stat st;
	void *bytes = MAP_FAILED;
	const struct packing *packing;

	if (!fstat(fd, &st) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd,
			     0);
	if (bytes == MAP_FAILED)
		return text_format("%s: empty, or it cannot be mapped; expected a core file",
				   core->path);
	core->bytes = bytes;
	core->size = (size_t)st.st_size;
	core->is_mapped = true;
	guard_add(bytes, core->size, false);
	packing = packing_find(bytes, core->size);
	if (!packing)
		return NULL;
	core_unmap(core);
	return core_unpack(core, fd, packing);
}

/* ---- what it is ---- */

static char *check_head(const struct core *core)
{
	const Elf64_Ehdr *head = (const void *)core->bytes;

	if (core->size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG))
		return text_format("%s: no core file; gcore PID writes one", core->path);
	if (head->e_ident[EI_CLASS] == ELFCLASS32)
		return text_format("%s: of a 32-bit process; only x86-64 is supported", core->path);
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_machine != EM_X86_64)
		return text_format("%s: of another architecture; only x86-64 is supported",
				   core->path);
	if (head->e_type != ET_CORE)
		return text_format(
			"%s: an ELF file, but no core file; its process is examined by mpsan attach PID",
			core->path);
	return NULL;
}

static int compare_segments(const void *one, const void *other)
{
	const struct core_segment *a = one, *b = other;

	return (a->start > b->start) - (a->start < b->start);
}

static uint64_t end_of(uint64_t start, uint64_t bytes)
{
	return start + bytes < start ? UINT64_MAX : start + bytes;
}

static void add_segment(struct core *core, const GElf_Phdr *head)
{
	uint64_t there = head->p_offset < core->size ? core->size - head->p_offset : 0;
	uint64_t bytes = head->p_filesz < head->p_memsz ? head->p_filesz : head->p_memsz;

	*ARRAY_ADD(&core->segments) =
		(struct core_segment){.start = head->p_vaddr,
				      .end = end_of(head->p_vaddr, head->p_memsz),
				      .offset = head->p_offset,
				      .bytes = bytes < there ? bytes : there,
				      .rights = head->p_flags};
}

/* Where two overlap, in a damaged core, the first one counts. */
static void sort_segments(struct core *core)
{
	uint32_t kept = 0;

	if (core->segments.count)
		qsort(core->segments.item, core->segments.count, sizeof(*core->segments.item),
		      compare_segments);
	for (uint32_t i = 0; i < core->segments.count; i++) {
		const struct core_segment segment = core->segments.item[i];

		if (segment.end > segment.start &&
		    (!kept || core->segments.item[kept - 1].end <= segment.start))
			core->segments.item[kept++] = segment;
	}
	core->segments.count = kept;
}

static void find_segments(struct core *core)
{
	const Elf64_Ehdr *file = (const void *)core->bytes;
	size_t count = 0;
	GElf_Phdr head;

	core->whole = end_of(file->e_phoff, (uint64_t)file->e_phnum * sizeof(Elf64_Phdr));
	elf_getphdrnum(core->elf, &count);
	for (size_t i = 0; i < count && gelf_getphdr(core->elf, (int)i, &head); i++) {
		uint64_t end = end_of(head.p_offset, head.p_filesz);

		core->whole = end > core->whole ? end : core->whole;
		if (head.p_type == PT_LOAD)
			add_segment(core, &head);
	}
	sort_segments(core);
}

/* ---- opening ---- */

/* The kernel gives the file to the user of the process; to root, if that user is not meant to read it. */
static void find_user(struct core *core, int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_uid)
		core->uid = st.st_uid;
}

static char *core_take(struct core *core, int fd, const char *exe)
{
	char *wrong = map_core(core, fd);

	if (!wrong)
		wrong = check_head(core);
	if (wrong)
		return wrong;
	if (!core->elf)
		core->elf = elf_memory((char *)(uintptr_t)core->bytes, core->size);
	if (!core->elf)
		return text_format("%s: damaged: %s", core->path, elf_errmsg(-1));
	find_segments(core);
	if (!core_read_notes(core))
		return text_format("%s: %s: it has no threads; write it again", core->path,
				   core->whole > core->size ? "truncated" : "damaged");
	find_user(core, fd);
	return core_find_modules(core, exe);
}

char *core_open(struct core **to, const char *path, const char *exe)
{
	struct core *core = memory_get(sizeof(*core));
	int fd = plainfile_open(AT_FDCWD, path, O_RDONLY);
	char *wrong;

	elf_version(EV_CURRENT);
	core->path = text_copy(path);
	core->uid = PROC_NOBODY;
	wrong = fd < 0 ? text_format("%s: %s; expected a core file", path, plainfile_error(errno)) :
			 core_take(core, fd, exe);
	if (fd >= 0)
		close(fd);
	if (wrong) {
		core_close(core);
		core = NULL;
	}
	*to = core;
	return wrong;
}

void core_close(struct core *core)
{
	if (!core)
		return;
	core_forget_modules(core);
	free(core->segments.item);
	free(core->threads.item);
	if (!core->dwfl)
		elf_end(core->elf);
	if (core->dwfl)
		dwfl_end(core->dwfl);
	core_unmap(core);
	free(core->path);
	free(core);
}

uint32_t core_pid(const struct core *core)
{
	return core->pid;
}

int core_signal(const struct core *core, uint32_t *tid)
{
	*tid = core->threads.item[0].tid;
	return core->signal;
}
