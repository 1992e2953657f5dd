/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text files that a watched process names. They are read in a child (../../base/apart.h) with the rights of that
 * process's user, so that neither that name nor what lies there gets at more than the process could. Neighbours:
 * ../../base/source_file.h reads them, ../root.h follows names in containers.
 */
#pragma once

#include "../../base/source_file.h"
#include "user.h"

struct foreign_name {
	const char *path;
	const char *root; /* of its process, as for root_path; NULL: ours */
	int directory; /* that a relative path begins in; -1: none */
	const char *made; /* a file that was made of it, absolute; "": none */
	const struct proc_user *user;
};

/* `made_ns`, if not NULL: when that other file was last modified; 0: unknown. */
void foreign_file_read(struct source_file *file, const struct foreign_name *name,
		       uint64_t *made_ns);
