/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of CPython's symbols in a file. Neighbour: ../symbols/pyfile.h finds the file of a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Addresses in the file (vaddr); 0: missing. */
struct python_symbols {
	ino_t inode;
	bool is_cpython;
	unsigned minor; /* 3.8 to 3.10, judged by its functions; else 0 */
	uint64_t load_offset, load_vaddr; /* its first segment */
	uint64_t version, runtime, type_type, code_type, unicode_type, bytes_type, none;
};

/* The parsed file, cached. NULL: it cannot be opened. Valid until python_symbols_finish or the next call. */
const struct python_symbols *python_symbols_find(const char *path);
void python_symbols_finish(void);
