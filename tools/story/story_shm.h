/*
 * What a story about acts says of shared memory: the segment of the finding, who made it and where.
 * Neighbours: story_event.h, text_shm.h.
 */
#ifndef MPSAN_STORY_SHM_H
#define MPSAN_STORY_SHM_H

#include "story_act.h"

/* The scene of the making of finding.segment; false: nobody was seen to make it. */
bool shm_maker_callsite(const struct event_cast *cast, struct callsite *callsite);

/*
 * {segment} {segment_bytes} {names} {maker} {made_at} {maker_end} {mappers}
 * (at the time of the act or cause), {total} (bytes times {amount}) and {rate} of what is counted; of the act and
 * the cause: {kept} {failure} {free_text} {cause_free_text}.
 */
void shm_words(const struct event_cast *cast, json_t *words);

#endif
