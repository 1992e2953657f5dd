/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was found in a core file. core_file.c opens it, core_unpack.c decompresses it, core_notes.c and core_modules.c fill this in,
 * core_memory.c reads its memory, core_proc.c shows it as /proc does.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <sys/user.h>

#include "../symbolizer/modules.h"
#include "core.h"

/* A range of memory, of which the first `bytes` are in the core file. */
struct core_segment {
	uint64_t start, end;
	uint64_t offset, bytes; /* in the core file */
	uint32_t rights; /* PF_R, … */
};

/* A range that maps a file. */
struct core_mapping {
	uint64_t start, end;
	uint64_t offset; /* in that file */
	const char *path; /* in the core file */
	uint32_t module; /* its index; FACT_NONE: it is no ELF file that was loaded */
};

/* An ELF file that was loaded. */
struct core_module {
	struct module at; /* its path is where it is found now */
	enum { CORE_FILE_SAME, CORE_FILE_UNCHECKED, CORE_FILE_OTHER, CORE_FILE_MISSING } file;
};

/* What a thread's registers say of the system call that it stands in. */
struct core_registers {
	long call; /* its number; -1: none */
	int64_t result; /* so far */
	uint64_t argument[6], stack, code;
	uint64_t pointer; /* the thread pointer */
};

struct core_thread {
	uint32_t tid; /* as the process itself sees it */
	uint32_t told; /* as the core has it */
	uint64_t blocked; /* signals, as bits */
	struct core_registers regs;
};

struct core {
	char *path;
	const uint8_t *bytes;
	size_t size;
	uint64_t whole; /* the size that it should have */
	bool is_mapped; /* by us; else `dwfl` owns the bytes */
	Dwfl *dwfl; /* has decompressed it; or NULL */
	Elf *elf;

	ARRAY(struct core_segment) segments; /* sorted, they do not overlap */
	ARRAY(struct core_mapping) mappings; /* the same */
	ARRAY(struct core_module) modules;
	ARRAY(struct core_thread) threads; /* the first one got the signal */
	bool numbers_unknown; /* some threads may have other TIDs than told */
	uint32_t pid, told_pid, parent, uid;
	uint32_t flags; /* of the kernel, PF_* */
	int signal;
	char name[17], args[81];
	uint64_t phdr, random, vdso; /* addresses of the auxiliary vector; 0: unknown */
	uint64_t auxiliary[4]; /* its beginning */
	uint32_t program; /* module; FACT_NONE: unknown */
	char *maps; /* as /proc/PID/maps */
	size_t maps_bytes;
};

/* core_unpack.c: how a file is compressed, NULL: it is not; decompresses it, NULL or an error that the caller frees. */
struct packing;
const struct packing *packing_find(const void *bytes, size_t size);
char *core_unpack(struct core *core, int fd, const struct packing *packing);

/* core_notes.c: false if there are no threads. */
bool core_read_notes(struct core *core);

/* core_modules.c: finds the files of modules, `exe` for the program, and writes the text of maps. */
char *core_find_modules(struct core *core, const char *exe);
void core_forget_modules(struct core *core);

/* core_memory.c: copies memory; returns how many bytes, fewer where it is missing. */
size_t core_read(const struct core *core, uint64_t from, void *to, size_t bytes);
/* The same, only of what the core file itself has. */
size_t core_read_dumped(const struct core *core, uint64_t from, void *to, size_t bytes);
const struct core_segment *core_segment_at(const struct core *core, uint64_t address);
const struct core_mapping *core_mapping_at(const struct core *core, uint64_t address);
