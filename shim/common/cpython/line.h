/* SPDX-License-Identifier: Apache-2.0 */
/* The source lines of a code object's instructions. */
#pragma once

#include "cpython.h"

/* The line of the instruction at byte offset `wanted`, by a code object's line table; 0: none. */
unsigned cpython_line(const struct cpython *py, uint64_t table, unsigned first_line, long wanted);
