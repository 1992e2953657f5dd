/*
 * What a story about acts says of shared memory: the segment of the finding, who made it and where.
 * Neighbours: evidence_event.h, text_shm.h.
 */
#ifndef MPSAN_EVIDENCE_SHM_H
#define MPSAN_EVIDENCE_SHM_H

#include "evidence_event.h"

/* The scene of the making of finding.segment; false: nobody was seen to make it. */
bool shm_maker_callsite(const struct event_subjects *subjects, struct callsite *callsite);

/*
 * {segment} {segment_bytes} {names} {maker} {made_at} {maker_end} {mappers}
 * (at the time of the act or cause), {total} (bytes times {amount}) and {rate} of what is counted; of the act and
 * the cause: {kept} {failure} {free_text} {cause_free_text}.
 */
void shm_args(const struct event_subjects *subjects, json_t *args);

#endif
