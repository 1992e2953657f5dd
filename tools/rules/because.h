/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a wait does not end: the exception of the process or thread whose end, or of the feeder whose dropped item, it waited
 * for. Pure. Neighbours: deadlock.h, ../facts/exceptions.h; ../evidence/evidence.h tells it.
 */
#pragma once

#include "rule.h"

/* The event of the exception; FACT_NONE: none is known to be the cause. */
uint32_t because_item(const struct facts *facts, const struct fact_deadlock *deadlock);
/* Of the only thread that ended by one, where others wait for what a thread of their process was to send. */
uint32_t because_sent(const struct facts *facts, const struct fact_deadlock *deadlock);
/* The same, or of a thread that ended with a lock. */
uint32_t because_thread(const struct facts *facts, const struct fact_deadlock *deadlock);
/* Of a process; `sender`: the one that failed and was to send, FACT_NONE: none. */
uint32_t because_process(const struct facts *facts, const struct fact_deadlock *deadlock,
			 uint32_t sender);

/*
 * Whether the program caught that exception, and its thread or process ended after it without another one; or a task of a pool
 * ended by it, and nobody may have asked for its result.
 */
bool because_gave_up(const struct facts *facts, const struct fact_deadlock *deadlock,
		     uint32_t event);

/* The cure of an exception, by whoever handled it (enum mpsan_exception_where). */
const char *because_fix(uint64_t where);
/*
 * What to do before the fix of a finding about a deadlock of which no cause is known: about the exception after which its first
 * thread cleans up, or about the one that nobody has seen, as the job was not watched; "": nothing. `last`: the last wait.
 */
const char *because_fix_first(const struct facts *facts, const struct finding *finding,
			      const struct fact_blocked *last);
