/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of ranks in words. Pure. */
#pragma once

#include <stdint.h>

/* "rank 2", "ranks 0, 1 and 3", "ranks 0 to 62 and 64", of numbers in ascending order. The caller frees it. */
char *numbers_text(const uint32_t *number, uint32_t count);
