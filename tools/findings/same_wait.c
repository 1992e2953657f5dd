/* SPDX-License-Identifier: Apache-2.0 */
/* Compares waits by their thread and time. */
#include "same_wait.h"

#include "../rules/deadlock.h"

static bool is_same_thread(const struct fact_place *one, const struct fact_place *other)
{
	return one->by == other->by && one->tid == other->tid;
}

/* A wait whose limit is renewed may count from another beginning each time. */
static bool is_same_blocked(const struct fact_blocked *one, const struct fact_blocked *other)
{
	return is_same_thread(&one->at, &other->at) && one->ev.since < other->at.time_ns &&
	       other->ev.since < one->at.time_ns;
}

static bool is_same_logged(const struct fact_blocked *blocked, const struct fact_wait *wait)
{
	return is_same_thread(&blocked->at, &wait->at) && wait->at.time_ns < blocked->at.time_ns &&
	       (!wait->end_ns || wait->end_ns > blocked->ev.since);
}

bool same_wait(const struct facts *facts, const struct finding *hang, const struct finding *other)
{
	const struct fact_blocked *first =
		deadlock_subject(facts, &facts->deadlocks[hang->deadlock - 1]);
	const struct fact_deadlock *deadlock;

	if (!first)
		return false;
	if (other->wait)
		return is_same_logged(first, &facts->waits[other->wait - 1]);
	deadlock = &facts->deadlocks[other->deadlock - 1];
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (is_same_blocked(first, &facts->blockeds[i]))
			return true;
	return false;
}
