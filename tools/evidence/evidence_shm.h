/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about shared memory: the segment, who created it and where.
 * Neighbours: evidence_event.h, text_shm.h.
 */
#pragma once

#include "evidence_event.h"

/* The call site of the creation of finding.segment, and its place, to which it refers; false: not seen. */
bool shm_maker_callsite(const struct event_subjects *subjects, struct callsite *callsite,
			struct fact_place *at);

/*
 * Sets the arguments that args.def lists for shared memory; its mappers are those at the time of
 * the event or cause.
 */
void shm_args(const struct event_subjects *subjects, json_t *args);
