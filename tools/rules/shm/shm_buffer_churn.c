/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-buffer-churn: a process created a new shared tensor of the same size for every message. Each
 * costs a file, a mapping and a copy; buffers that are returned cost nothing. A DataLoader has no
 * choice.
 */
#include <stddef.h>

#include "../../facts/processes.h"
#include "../rule.h"

#define SIZES 8u /* counted at a time: the frequent ones stay */
#define TENSORS_MIN 100u
#define BYTES_MIN (64ull << 20) /* copied, all together */

static MESSAGE message_text = {
	"{maker} created {amount} shared tensors of {segment_bytes} each, {rate}, and sent each of "
	"them once: {total} were copied",
	{{STEP_CAUSE, "{maker} created the last of them"}},
};

struct size {
	uint64_t bytes;
	uint32_t count, weight, newest; /* index of the event */
};

/*
 * The counter of this size, or a free one. NULL: there is none, and all counters were decremented.
 */
static struct size *shm_buffer_churn_place_of(struct size *sizes, uint64_t bytes)
{
	struct size *rare = NULL;

	for (uint32_t i = 0; i < SIZES; i++) {
		if (sizes[i].weight && sizes[i].bytes == bytes)
			return &sizes[i];
		if (!sizes[i].weight)
			rare = &sizes[i];
	}
	for (uint32_t i = 0; i < SIZES && !rare; i++)
		sizes[i].weight--;
	return rare;
}

static void shm_buffer_churn_count(struct size *sizes, uint64_t bytes, uint32_t event)
{
	struct size *size = shm_buffer_churn_place_of(sizes, bytes);

	if (!size)
		return;
	if (!size->weight)
		*size = (struct size){.bytes = bytes, .newest = event};
	size->count++;
	size->weight++;
}

/* Whether it is a tensor that this process created and sent. */
static bool is_message(const struct facts *facts, uint32_t event)
{
	uint32_t flags = shm_link_of(facts, event)->flags;

	return flags & SHM_LINK_TORCH && event_later(&facts->events[event]) & MPSAN_LATER_SENT &&
	       EVENT_AS(&facts->events[event], shm)->flags & MPSAN_SHM_MADE;
}

void rule_shm_buffer_churn(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	struct size sizes[SIZES] = {{0}};

	if (process_loads_data(facts, trigger->index))
		return;
	for (uint32_t at = fact_event_of(facts, trigger->index, EV_shm, FACT_NONE); at != FACT_NONE;
	     at = fact_event_of(facts, trigger->index, EV_shm, at))
		if (is_message(facts, at))
			shm_buffer_churn_count(
				sizes, MPSAN_LATER_BYTES(event_later(&facts->events[at])), at);
	for (uint32_t i = 0; i < SIZES; i++)
		if (sizes[i].count >= TENSORS_MIN && sizes[i].count * sizes[i].bytes >= BYTES_MIN)
			FIND_EVENT(out, shm_buffer_churn, GRADE_NOTE, trigger, &message_text,
				   .segment = shm_segment_of(facts, sizes[i].newest),
				   .cause = sizes[i].newest + 1, .amount = sizes[i].count);
}
