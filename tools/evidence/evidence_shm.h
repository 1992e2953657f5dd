/*
 * What a story about acts says of shared memory: the segment of the finding, who made it and where.
 * Neighbours: evidence_event.h, text_shm.h.
 */
#ifndef MPSAN_EVIDENCE_SHM_H
#define MPSAN_EVIDENCE_SHM_H

#include "evidence_event.h"

/* The scene of the making of finding.segment; false: nobody was seen to make it. */
bool shm_maker_callsite(const struct event_subjects *subjects, struct callsite *callsite);

/* What args.def says of shared memory; who maps it at the time of the event or cause. */
void shm_args(const struct event_subjects *subjects, json_t *args);

#endif
