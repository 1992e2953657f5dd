/*
 * Where a file has the symbols of CPython. Neighbour: pyview.h finds the files of a process.
 */
#ifndef MPSAN_PYFILE_H
#define MPSAN_PYFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Addresses as the file has them (vaddr); 0: not there. */
struct pyfile {
	dev_t device;
	ino_t inode;
	off_t size;
	int64_t changed_ns; /* the file's own time */
	bool is_cpython;
	unsigned minor; /* of 3.8 to 3.10, told by the functions it has; 0 */
	uint64_t load_offset, load_vaddr; /* its first segment */
	uint64_t version, runtime, type_type, code_type, unicode_type, bytes_type, none;
};

/*
 * What the file is, parsed at the first question. NULL: it cannot be opened or is no ELF file. Valid
 * until pyfiles_finish or the next call.
 */
const struct pyfile *pyfile_find(const char *path);

void pyfiles_finish(void);

#endif
