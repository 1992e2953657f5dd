/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-map-limit: each shared tensor is a mapping of its own, and vm.max_map_count limits their
 * number. Beyond that mmap fails with ENOMEM while memory is free.
 */
#include "../rule.h"

static MESSAGE msg_failure = {
	"{function} failed in {who} at {at} because it had too many mappings, not for lack of "
	"memory: {count} of the {limit} that vm.max_map_count allows",
	{STEP_WHO_CALLED},
};

static MESSAGE msg_approach = {
	"{who} has {count} mappings, most of them shared memory|, and |vm.max_map_count allows {limit}",
	{{STEP_EVENT, "{who} mapped another one"}},
};

void rule_shm_map_limit(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_shm_refused *ev = EVENT_AS(event, shm_refused);

	if (event->type != EV_shm_refused || !ev->limit)
		return;
	if (ev->reason == MPSAN_SHM_NO_MAP && ev->count >= ev->limit - ev->limit / 100)
		FIND_EVENT(out, shm_map_limit, GRADE_ERROR, trigger, &msg_failure);
	else if (ev->reason == MPSAN_SHM_MANY_MAPS)
		FIND_EVENT(out, shm_map_limit, GRADE_WARNING, trigger, &msg_approach);
}
