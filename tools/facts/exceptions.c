/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions and aborts that ended a process or a thread, or for which a feeder dropped an item. */
#include "exceptions.h"

#include <signal.h>

#include "processes.h"

/* So much later a process that handles SIGABRT has ended for another reason than that abort. */
#define ABORT_NS 2000000000ull

#define RUST_PANICKED 101 /* the exit status after a panic of the main thread */

/* Whether it ended the process, which may have caught it. */
static bool is_end_by_panic(const struct facts *facts, uint32_t slot, uint32_t event)
{
	const struct mpsan_process *process = facts->processes[slot].slot;

	return exception_where(facts, event) == MPSAN_WHERE_PANIC &&
	       process->end == MPSAN_END_EXIT && process->end_value == RUST_PANICKED &&
	       event_tid(&facts->events[event]) == process->pid;
}

/* Whether an abort ended the process, which may have gone on after it. */
static bool has_aborted(const struct facts *facts, uint32_t slot, uint32_t event)
{
	const struct fact_process *process = &facts->processes[slot];

	return process_end_signal(facts, slot) == SIGABRT &&
	       (!EVENT_AS(&facts->events[event], exception)->handled ||
		process->gone_ns < event_time(&facts->events[event]) + ABORT_NS);
}

uint32_t exception_before(const struct facts *facts, uint32_t slot, uint32_t event)
{
	uint64_t where;

	for (event = fact_event_of(facts, slot, EV_exception, event); event != FACT_NONE;
	     event = fact_event_of(facts, slot, EV_exception, event)) {
		where = exception_where(facts, event);
		if ((where >= MPSAN_WHERE_MAIN && where <= MPSAN_WHERE_FEEDER) ||
		    where == MPSAN_WHERE_PANIC ||
		    (exception_is_abort(facts, event) && has_aborted(facts, slot, event)))
			break;
	}
	return event;
}

uint32_t exception_of_process(const struct facts *facts, uint32_t slot)
{
	uint32_t event = exception_before(facts, slot, FACT_NONE);

	while (event != FACT_NONE && exception_where(facts, event) != MPSAN_WHERE_MAIN &&
	       exception_where(facts, event) != MPSAN_WHERE_WORKER &&
	       !exception_is_abort(facts, event) && !is_end_by_panic(facts, slot, event))
		event = exception_before(facts, slot, event);
	return event;
}

uint32_t exception_of_thread(const struct facts *facts, uint32_t slot, uint32_t tid,
			     uint64_t until_ns)
{
	uint32_t event = exception_before(facts, slot, FACT_NONE);

	while (event != FACT_NONE && (exception_where(facts, event) != MPSAN_WHERE_THREAD ||
				      (tid && event_tid(&facts->events[event]) != tid) ||
				      event_time(&facts->events[event]) > until_ns))
		event = exception_before(facts, slot, event);
	return event;
}

bool exception_precedes(const struct facts *facts, uint32_t event, const struct fact_thread *thread,
			uint64_t until_ns)
{
	return thread->at.by == facts->events[event].by && thread->ev.python &&
	       thread->at.time_ns > event_time(&facts->events[event]) &&
	       thread->at.time_ns <= until_ns;
}

uint32_t exception_at_pipe(const struct facts *facts, uint64_t inode, uint64_t until_ns)
{
	for (uint32_t slot = 0; inode && slot < facts->process_count; slot++)
		for (uint32_t event = exception_before(facts, slot, FACT_NONE); event != FACT_NONE;
		     event = exception_before(facts, slot, event))
			if (EVENT_AS(&facts->events[event], exception)->item == inode &&
			    event_time(&facts->events[event]) <= until_ns)
				return event;
	return FACT_NONE;
}

bool exception_ended_main(const struct facts *facts, uint32_t slot)
{
	uint32_t both[] = {slot, process_parent(facts, slot)}, event;

	for (unsigned i = 0; i < 2; i++) {
		event = both[i] < facts->process_count ? exception_of_process(facts, both[i]) :
							 FACT_NONE;
		if (event != FACT_NONE && exception_where(facts, event) == MPSAN_WHERE_MAIN)
			return true;
	}
	return false;
}

bool exception_was_told(const struct facts *facts, uint32_t slot, uint64_t place)
{
	uint32_t count = 0;

	for (uint32_t event = fact_event_of(facts, slot, EV_exception, FACT_NONE);
	     event != FACT_NONE; event = fact_event_of(facts, slot, EV_exception, event), count++)
		if (EVENT_AS(&facts->events[event], exception)->place == place)
			return true;
	return count >= MPSAN_EXCEPTIONS || facts->processes[slot].lossy;
}
