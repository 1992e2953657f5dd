/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of other processes, as they were when exec started them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads those of a process, in place of the ones read before; false: it has none, or they cannot be read. */
bool variables_read(uint32_t pid);

/* The value of a variable, valid until the next call of the others; NULL: it has none. */
const char *variables_get(const char *name);

void variables_finish(void);
