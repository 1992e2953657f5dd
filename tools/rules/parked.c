/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows joins and awaited tasks from the first processes of a dead end to the threads that the
 * job waits for, and checks whether those are merely idle.
 */
#include "parked.h"

enum parked_wait parked_part(const struct parked_seen *seen)
{
	enum parked_wait meant = seen->frames.meant;

	if (seen->call == PARKED_JOINS && meant == PARKED_IDLE &&
	    awaited_nature(seen->frames.what) == AWAITED_END)
		return PARKED_IDLE; /* it only takes note of the end */
	if (seen->call == PARKED_JOINS || (seen->call == PARKED_BLOCKED && seen->by_owner))
		return meant == PARKED_JOINS && !awaited_is_result(seen->frames) ? meant :
										   seen->call;
	if (seen->frames.what == AWAITED_PERMIT)
		return seen->guards ? PARKED_BLOCKED : PARKED_IDLE;
	if (meant == PARKED_INTENDED && !seen->is_main)
		return PARKED_IDLE;
	return meant ? meant : seen->call;
}

/*
 * Marks the main threads of a process's children or, with `others`, its own other threads; true if
 * it marked any.
 */
static bool want(const struct parked_thread *thread, uint32_t count, bool *wanted, uint32_t of,
		 bool others)
{
	bool more = false;

	for (uint32_t i = 0; i < count; i++) {
		bool is = others ? thread[i].process == of && !thread[i].is_main :
				   thread[i].parent == of && thread[i].is_main;

		if (!is || wanted[i] || thread[i].is_helper)
			continue;
		wanted[i] = true;
		more = true;
	}
	return more;
}

static bool want_tasks(const struct parked_thread *thread, uint32_t count, bool *wanted,
		       uint32_t by)
{
	bool more = false;

	for (uint32_t i = 0; i < count; i++) {
		if (wanted[i] || thread[i].awaited_by != by)
			continue;
		wanted[i] = true;
		more = true;
	}
	return more;
}

/* Marks the threads that this one waits for; true if it marked any. */
static bool parked_follow(const struct parked_thread *thread, uint32_t count, bool *wanted,
			  uint32_t i)
{
	uint32_t target = thread[i].thread;

	if (thread[i].wait != PARKED_JOINS)
		return false;
	if (thread[i].of_tasks)
		return want_tasks(thread, count, wanted, i);
	if (thread[i].of_process)
		return want(thread, count, wanted, thread[i].process, false);
	if (target >= count)
		return want(thread, count, wanted, thread[i].process, true);
	if (wanted[target])
		return false;
	wanted[target] = true;
	return true;
}

static void find_wanted(const struct parked_thread *thread, uint32_t count, bool *wanted)
{
	bool any = false, more = true;

	for (uint32_t i = 0; i < count; i++) {
		wanted[i] = thread[i].is_main && thread[i].parent == PARKED_NONE &&
			    !thread[i].is_helper;
		any |= wanted[i];
	}
	for (uint32_t i = 0; !any && i < count; i++) /* no main thread is left */
		wanted[i] = !thread[i].is_helper;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < count; i++)
			more |= wanted[i] && parked_follow(thread, count, wanted, i);
	}
}

/* Whether its task waits, directly or through others, for its own result. */
static bool awaits_itself(const struct parked_thread *thread, uint32_t count, uint32_t i)
{
	uint32_t by = thread[i].awaited_by;

	for (uint32_t steps = 0; by < count && by != i && steps < count; steps++)
		by = thread[by].awaited_by;
	return by == i;
}

static bool is_at_work(const struct parked_thread *thread, uint32_t count, uint32_t i)
{
	return thread[i].wait == PARKED_BLOCKED || thread[i].setter_ended ||
	       (thread[i].wait == PARKED_MEETS && (count > 1 || thread[i].only_ends)) ||
	       awaits_itself(thread, count, i);
}

bool parked_has_keyboard(const struct parked_thread *thread, uint32_t count)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		if (thread[i].parent != PARKED_NONE || thread[i].is_helper)
			continue;
		if (!thread[i].no_keyboard)
			return true;
		any = true;
	}
	return !any;
}

bool parked_is_meant(const struct parked_thread *thread, uint32_t count, bool *wanted)
{
	bool idle = false;

	for (uint32_t i = 0; i < count; i++)
		if (thread[i].wait == PARKED_INTENDED && !thread[i].setter_ended)
			return true;
	for (uint32_t i = 0; i < count; i++)
		if (is_at_work(thread, count, i))
			return false;
	find_wanted(thread, count, wanted);
	for (uint32_t i = 0; i < count; i++) {
		if (!wanted[i] || thread[i].wait == PARKED_JOINS)
			continue;
		if (thread[i].was_sent || thread[i].sender_ended ||
		    (thread[i].only_ends && !thread[i].is_main))
			return false;
		idle = true;
	}
	return idle;
}
