/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of ranges in private memory, each created at its first use: a fork copies them, and no
 * lock is taken. See ranges.h.
 */
#pragma once

#include "../common/ranges.h"

/* The table in `*table`, created if necessary; NULL: no memory. Sizes as for ranges_init. */
struct ranges *range_table(struct ranges **table, uint64_t places, uint64_t place_bytes);
