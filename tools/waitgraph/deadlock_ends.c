/* SPDX-License-Identifier: Apache-2.0 */
/* Follows waiters of recorded deadlocks until their wait is over. */
#include "deadlock_ends.h"

void deadlock_ends_add(struct deadlocks *deadlocks, uint32_t index, uint64_t deadlock)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

	if (deadlock && deadlocks->waits.item.item[index].ends != MPSAN_ENDS_NEVER)
		*ARRAY_ADD(&deadlocks->ends) =
			(struct deadlock_end){deadlock, thread->slot, thread->own_tid};
}

static bool still_waits(struct deadlocks *deadlocks, const struct deadlock_end *end)
{
	uint32_t index = snapshot_find(&deadlocks->snapshot, end->slot, end->tid);

	return index != SNAPSHOT_NONE && deadlocks_entry(deadlocks, index)->call.gives_up;
}

void deadlock_ends_look(struct deadlocks *deadlocks)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < deadlocks->ends.count; i++) {
		const struct deadlock_end end = deadlocks->ends.item[i];
		struct ev_deadlock_over event = {.deadlock = end.deadlock};

		if (still_waits(deadlocks, &end))
			deadlocks->ends.item[kept++] = end;
		else
			watchlog_put(&deadlocks->log, EV_deadlock_over, end.slot, end.tid, &event,
				     sizeof(event));
	}
	deadlocks->ends.count = kept;
}
