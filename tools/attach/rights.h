/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a process cannot be examined, in words, with the cure. Neighbours: target.h finds processes,
 * attach.h examines them.
 */
#pragma once

#include "target.h"

/* What is missing for a process that may not be traced; the caller frees it. */
char *rights_missing(uint32_t pid);

/* What everybody sees of it: its threads and whether they sleep; the caller frees it. */
char *rights_seen(uint32_t pid);

/*
 * The process that a number means: of a thread, its process. 0: none that could be examined, and `wrong`
 * says why, which the caller frees.
 */
uint32_t rights_process(uint32_t number, char **wrong);

/* Says which processes of a target may not be examined, and why, in a line for each reason. */
void rights_each_limit(const struct target *target, void (*say)(const char *text, void *context),
		       void *context);
