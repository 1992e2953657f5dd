/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a process was watched to its end. */
#ifndef MPSAN_UNWATCHED_H
#define MPSAN_UNWATCHED_H

#include "reader.h"

/* NULL if the process was watched to its end; else why not, which the caller frees. */
char *process_unwatched(const struct reader *reader, uint32_t slot);

#endif
