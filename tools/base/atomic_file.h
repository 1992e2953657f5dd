/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear whole or not at all: written under a temporary name in the same directory, then
 * renamed. Neighbours: report.c and baseline_write.c, which write them.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef void atomic_file_fill(FILE *out, const void *what);

/* Whether it appears whole or not at all: no link, pipe or device. */
bool atomic_file_is_plain(const char *file);

/*
 * Whether `file` could be written, as far as that is known without doing it. Returns NULL, or "FILE: what is wrong",
 * which the caller frees.
 */
char *atomic_file_check(const char *file);

/*
 * Has `fill` write `file`. A regular file is replaced; a link, a pipe or a device is written
 * through. Returns NULL, or "FILE: what is wrong", which the caller frees.
 */
char *atomic_file_write(const char *file, atomic_file_fill *fill, const void *what);

/* Removes what a process left that was killed while it wrote `file`. */
void atomic_file_abandon(const char *file, pid_t writer);
