/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of one job whose sessions are merged: whether they wait for each other in different collectives, as
 * collective-mismatch says of the ranks of one session. Neighbours: ../ranks/rank_log.h, ../ranks/stuck.h.
 */
#pragma once

#include "report.h"

struct merge_ranks;

struct merge_ranks *merge_ranks_create(void);
void merge_ranks_destroy(struct merge_ranks *merge);

/* Takes what was last recorded of each rank of a session; `source` is its index in the report. */
void merge_ranks_add(struct merge_ranks *merge, uint32_t source, int64_t skew_ns,
		     const struct judge *judge);

/* Adds a finding for each job in which ranks of several sessions wait in vain. */
void merge_ranks_finish(struct merge_ranks *merge, const struct report *report);
