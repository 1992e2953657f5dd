/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core files: a process as it was when it crashed, or when gcore wrote it down. Once in use, they stand
 * in for /proc: see ../proc/procfs.h. Nothing here trusts a file: sizes and addresses are checked, and
 * what is missing is unknown.
 */
#pragma once

#include "../base/util.h"

struct core;

/*
 * Opens a core file. `exe`: the file of the program, NULL if the core names it. NULL: done; else an error
 * that the caller frees. The core stays open until core_close.
 */
char *core_open(struct core **core, const char *path, const char *exe);
void core_close(struct core *core);

uint32_t core_pid(const struct core *core);

/* The signal that ended the process, and by which thread; 0: none, it was copied while it ran. */
int core_signal(const struct core *core, uint32_t *tid);

/* Calls `see` for each thing that this core lacks, in words. */
void core_each_limit(const struct core *core, void (*see)(const char *what, void *context),
		     void *context);

/* From now on processes are those of these cores; no PID may be among them twice. */
void core_use(struct core *const *cores, uint32_t count);
