/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a process was watched to its end. */
#pragma once

#include "reader.h"

/* NULL if the process was watched to its end; else why not, which the caller frees. */
char *process_unwatched(const struct reader *reader, uint32_t slot);

/*
 * Whether it is a program that cannot be watched, and that soon exited by itself without children
 * that are known, as `ldconfig -p` does: nothing of the job was missed.
 */
bool process_is_helper(const struct reader *reader, uint32_t slot);
