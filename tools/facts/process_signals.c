/* SPDX-License-Identifier: Apache-2.0 */
/* Signals between processes: who was told to end, and whom another one ended. */
#include <signal.h>

#include "processes.h"

static const struct mpsan_process *slot_of(const struct facts *facts, uint32_t slot)
{
	return facts->processes[slot].slot;
}

static bool asks_for_an_end(int number)
{
	return number == SIGTERM || number == SIGKILL || number == SIGINT || number == SIGHUP ||
	       number == SIGQUIT;
}

/* Each signal that a process sent, by number of the process and of the event. */
#define EACH_KILLED(facts, by, at)                                                 \
	for (uint32_t by = 0; by < (facts)->process_count; by++)                   \
		for (uint32_t at = fact_event_of(facts, by, EV_killed, FACT_NONE); \
		     at != FACT_NONE; at = fact_event_of(facts, by, EV_killed, at))

/*
 * Addressed to its pid or to a group that it leads. What the supervisor sent is in a log of no
 * process.
 */
static bool sent_itself(const struct facts *facts, uint32_t slot, int number)
{
	for (uint32_t at = fact_event_of(facts, slot, EV_killed, FACT_NONE); at != FACT_NONE;
	     at = fact_event_of(facts, slot, EV_killed, at)) {
		const struct ev_killed *killed = EVENT_AS(&facts->events[at], killed);

		if (facts->events[at].slot < facts->process_count &&
		    killed->signal == (uint64_t)number &&
		    (killed->pid == slot_of(facts, slot)->pid || (int64_t)killed->pid <= 0))
			return true;
	}
	return false;
}

bool process_ended_itself(const struct facts *facts, uint32_t slot)
{
	return slot_of(facts, slot)->end == MPSAN_END_SIGNAL &&
	       sent_itself(facts, slot, slot_of(facts, slot)->end_value);
}

/* SIGINT and SIGHUP ask for an end as well, but a handler of them may do else; one that ignores them was asked in vain. */
static bool tells_to_end(const struct mpsan_process *process, uint64_t number)
{
	return number == SIGTERM || (number == SIGINT && process->marks & MPSAN_MARK_IGNORES_INT) ||
	       (number == SIGHUP && process->marks & MPSAN_MARK_IGNORES_HUP);
}

int process_was_told_to_end(const struct facts *facts, uint32_t slot, uint64_t before_ns)
{
	EACH_KILLED(facts, by, at)
	{
		const struct fact_event *event = &facts->events[at];
		const struct ev_killed *killed = EVENT_AS(event, killed);

		if (by != slot && tells_to_end(slot_of(facts, slot), killed->signal) &&
		    killed->pid == slot_of(facts, slot)->pid &&
		    event_time(event) >= slot_of(facts, slot)->birth_ns &&
		    event_time(event) <= before_ns)
			return (int)killed->signal;
	}
	return 0;
}

/*
 * The members of a process group are not known, so a signal to a group counts only if the process
 * was ended by that very signal.
 */
static bool reached(const struct facts *facts, const struct ev_killed *killed, uint32_t slot)
{
	const struct mpsan_process *process = slot_of(facts, slot);
	bool same = process->end == MPSAN_END_SIGNAL &&
		    (uint64_t)process->end_value == killed->signal;

	if ((int64_t)killed->pid <= 0)
		return same;
	return killed->pid == process->pid && (same || asks_for_an_end((int)killed->signal));
}

/* A signal to a group is logged once; a signal to a process already gone is not logged. */
static bool came_from(const struct facts *facts, uint32_t slot, const struct fact_event *event)
{
	const struct fact_process *process = &facts->processes[slot];
	bool own = event->by == slot && event->slot < facts->process_count;

	return !own && reached(facts, EVENT_AS(event, killed), slot) &&
	       event_time(event) <= process->gone_ns + EVENT_SETTLE_NS &&
	       ((int64_t)EVENT_AS(event, killed)->pid <= 0 ||
		event_time(event) >= process->slot->birth_ns);
}

bool process_was_ended_by_another(const struct facts *facts, uint32_t slot)
{
	EACH_KILLED(facts, by, at)
	if (came_from(facts, slot, &facts->events[at]))
		return true;
	return false;
}

/* Within this time an end follows on a SIGKILL. */
#define KILLED_NS 2000000000ull

/* Whether another process sent it a SIGKILL just before it was gone. */
static bool followed_sigkill(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	EACH_KILLED(facts, by, at)
	{
		const struct fact_event *event = &facts->events[at];

		if (EVENT_AS(event, killed)->signal == SIGKILL &&
		    (int64_t)EVENT_AS(event, killed)->pid > 0 && came_from(facts, slot, event) &&
		    event_time(event) <= process->gone_ns &&
		    process->gone_ns - event_time(event) < KILLED_NS)
			return true;
	}
	return false;
}

int process_end_signal(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	if (process->slot->end == MPSAN_END_SIGNAL)
		return process->slot->end_value;
	return process->slot->end == MPSAN_END_NONE && process->gone && !process->stayed &&
			       followed_sigkill(facts, slot) ?
		       SIGKILL :
		       0;
}

uint32_t process_ended_by(const struct facts *facts, uint32_t slot)
{
	int number = process_end_signal(facts, slot);
	uint32_t found = FACT_NONE;

	EACH_KILLED(facts, by, at)
	{
		const struct fact_event *event = &facts->events[at];
		const struct ev_killed *killed = EVENT_AS(event, killed);

		if (number && event->slot < facts->process_count &&
		    killed->signal == (uint64_t)number &&
		    killed->pid == slot_of(facts, slot)->pid &&
		    (by == slot || came_from(facts, slot, event)) &&
		    (found == FACT_NONE || event_time(event) > event_time(&facts->events[found])))
			found = at;
	}
	return found;
}

bool process_was_struck(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	int number = process->slot->end_value;

	if (!process->gone || process->stayed || process->slot->flags & MPSAN_PROCESS_REPLACED ||
	    process->slot->end == MPSAN_END_EXIT)
		return false;
	return process->slot->end == MPSAN_END_NONE ||
	       (asks_for_an_end(number) && !sent_itself(facts, slot, number));
}
