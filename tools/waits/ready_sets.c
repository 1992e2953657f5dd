/* SPDX-License-Identifier: Apache-2.0 */
/* Caches what could wake threads that wait for descriptors. */
#include "ready_sets.h"

#include <stdlib.h>
#include <time.h>

#include "../proc/calls.h"

#define OPEN_NS 5000000000ull /* how long an open set is used, at least */
#define OPEN_SHARE 20000u /* each takes at most this share of the time */
#define TIMER_NS 1000000000ull /* any thread may set or stop a timer meanwhile */
#define UNUSED_NS 10000000000ull

static struct ready_set *find_set(struct ready_sets *sets, uint32_t tid, uint64_t now_ns)
{
	struct ready_set *unused = NULL;

	for (uint32_t i = 0; i < sets->item.count; i++) {
		struct ready_set *set = &sets->item.item[i];

		if (set->tid == tid)
			return set;
		if (set->used_ns + UNUSED_NS < now_ns)
			unused = set;
	}
	if (!unused) {
		unused = ARRAY_ADD(&sets->item);
		*unused = (struct ready_set){0};
	}
	unused->tid = tid;
	unused->read_ns = unused->timer_read_ns = 0;
	return unused;
}

static void read_set(struct ready_set *set, const struct snapshot_thread *thread, uint64_t now_ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

	set->ends.item.count = 0;
	set->open = !ready_ends_add(&set->ends, thread->pid, thread->tid, &thread->call, now_ns);
	took = (clock_ns(CLOCK_MONOTONIC) - begin) * OPEN_SHARE;
	set->due_ns = now_ns + (took < OPEN_NS ? OPEN_NS : took);
	set->read_ns = now_ns;
	set->still_ns = thread->still_ns;
}

const struct ready_set *ready_sets_find(struct ready_sets *sets, const struct snapshot *snapshot,
					const struct snapshot_thread *thread)
{
	struct ready_set *set = find_set(sets, thread->tid, snapshot->now_ns);

	set->used_ns = snapshot->now_ns;
	if (!set->read_ns || set->still_ns != thread->still_ns ||
	    (set->open && set->due_ns <= snapshot->now_ns))
		read_set(set, thread, snapshot->now_ns);
	return set;
}

static uint64_t timer_due_ns(const struct snapshot_thread *thread, uint64_t now_ns)
{
	uint64_t ahead_ns = ready_timer_ns(thread->pid, thread->tid, &thread->call);

	return ahead_ns ? now_ns + ahead_ns : 0;
}

uint64_t ready_sets_timer_ns(struct ready_sets *sets, const struct snapshot *snapshot,
			     const struct snapshot_thread *thread)
{
	struct ready_set *set;

	if (!call_is_poll(&thread->call))
		return timer_due_ns(thread, snapshot->now_ns);
	set = find_set(sets, thread->tid, snapshot->now_ns);
	set->used_ns = snapshot->now_ns;
	if (set->timer_read_ns <= thread->still_ns ||
	    set->timer_read_ns + TIMER_NS <= snapshot->now_ns) {
		set->timer_ns = timer_due_ns(thread, snapshot->now_ns);
		set->timer_read_ns = snapshot->now_ns;
	}
	return set->timer_ns;
}

void ready_sets_refresh(struct ready_sets *sets, uint64_t now_ns)
{
	for (uint32_t i = 0; i < sets->item.count; i++)
		if (!sets->item.item[i].open && sets->item.item[i].read_ns < now_ns)
			sets->item.item[i].read_ns = 0;
}

void ready_sets_free(struct ready_sets *sets)
{
	for (uint32_t i = 0; i < sets->item.count; i++)
		free(sets->item.item[i].ends.item.item);
	free(sets->item.item);
	*sets = (struct ready_sets){0};
}
