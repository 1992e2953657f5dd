/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions that ended a process or a thread, or for which a feeder dropped an item. Each function returns an event, FACT_NONE:
 * none. Neighbours: facts.h; ../rules/because.h says which of them caused a wait.
 */
#pragma once

#include "facts.h"

/* By which its main thread, or what it ran as a worker, ended; or the abort that ended it. */
uint32_t exception_of_process(const struct facts *facts, uint32_t slot);

/* By which that thread ended before that time; `tid` 0: the newest one, of any thread. */
uint32_t exception_of_thread(const struct facts *facts, uint32_t slot, uint32_t tid,
			     uint64_t until_ns);

/*
 * Whether Python code of the same process started this thread after the one that ended so, and before that time: if it has
 * ended, too, it may have been the one.
 */
bool exception_precedes(const struct facts *facts, uint32_t event, const struct fact_thread *thread,
			uint64_t until_ns);

/* For which a feeder of any process dropped an item for this pipe. */
uint32_t exception_at_pipe(const struct facts *facts, uint64_t inode, uint64_t until_ns);

/* The process's exception before that one, FACT_NONE: its newest, by whom nobody but the program had caught it. */
uint32_t exception_before(const struct facts *facts, uint32_t slot, uint32_t event);

/* Whether the main thread of the process, or of the one that made it, ended by one. */
bool exception_ended_main(const struct facts *facts, uint32_t slot);

/*
 * Whether the process may have told somebody of the exception with this number, as far as is known: it wrote or sent something
 * while it handled one.
 */
bool exception_was_told(const struct facts *facts, uint32_t slot, uint64_t place);

static inline uint64_t exception_where(const struct facts *facts, uint32_t event)
{
	return EVENT_AS(&facts->events[event], exception)->where;
}

/* Whether it is a process's abort, with the exception of C++ that it was for, if any. */
static inline bool exception_is_abort(const struct facts *facts, uint32_t event)
{
	return exception_where(facts, event) == MPSAN_WHERE_ABORT ||
	       exception_where(facts, event) == MPSAN_WHERE_TERMINATE;
}
