/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of CPython's symbols in a file. Neighbour: pyview.h reads the memory. */
#ifndef MPSAN_PYFILE_H
#define MPSAN_PYFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Addresses in the file (vaddr); 0: missing. */
struct pyfile {
	dev_t device;
	ino_t inode;
	off_t size;
	int64_t changed_ns; /* modification time */
	bool is_cpython;
	unsigned minor; /* 3.8 to 3.10, judged by its functions; else 0 */
	uint64_t load_offset, load_vaddr; /* its first segment */
	uint64_t version, runtime, type_type, code_type, unicode_type, bytes_type, none;
};

/*
 * The parsed file, cached. NULL: it cannot be opened or is no ELF file. Valid until pyfiles_finish
 * or the next call.
 */
const struct pyfile *pyfile_find(const char *path);

/* The file with the CPython of a process, and where it is mapped; NULL: none, ended, or unreadable. */
const struct pyfile *pyfile_of(pid_t pid, uint64_t *start);

void pyfiles_finish(void);

#endif
