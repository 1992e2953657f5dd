/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the CPython of a process. Neighbours: ../symbolizer/symbolizer.h reads it, pyview.h the memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../symbolizer/python_symbols.h"

/* Finds it, and where it is mapped; false: there is none, the process has ended, or it is unreadable. */
bool pyfile_of(pid_t pid, struct python_symbols *file, uint64_t *start);

void pyfiles_finish(void);
