/* SPDX-License-Identifier: Apache-2.0 */
/* The core files that are examined, in the place of living processes. Neighbours: ../core/core.h, target.h. */
#pragma once

#include "../core/core.h"
#include "target.h"

struct cores {
	ARRAY(struct core *) list;
};

/*
 * Opens these files, and makes their processes the target. `exe`: the file of their program, or NULL.
 * NULL: done; else an error that the caller frees. cores_close is due in any case.
 */
char *cores_open(struct cores *cores, struct target *target, const char *const *paths,
		 uint32_t count, const char *exe);
void cores_close(struct cores *cores);

/* Calls `see` for all that is to be known of them besides findings: how they ended, what is missing. */
void cores_each_limit(const struct cores *cores, void (*see)(const char *what, void *context),
		      void *context);

/* "process 17 was ended by SIGSEGV, in thread 18", a line for each that a signal ended; the caller frees it. */
char *cores_endings(const struct cores *cores);
