/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and JSON for what ends a wait that cannot succeed. */
#include "evidence_ends.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "../facts/processes.h"
#include "../rules/deadlock.h"
#include "text_process.h"

#define SECOND_NS 1000000000ull

/* What the texts and JSON need to know of the wait. */
struct end {
	uint64_t how, ends_ns;
	uint64_t from_ns; /* since it began, or when it was found */
	uint64_t lasted_ns; /* until it was found; 0: unknown */
	bool cycle; /* it succeeds if another one gives up */
	const char *handlers; /* that could end it; NULL: unknown, or none */
	const char *handler; /* in which it stands, as of callsite_handler; NULL: unknown */
	bool doubted; /* something unlikely might make it succeed */
};

/*
 * Seconds to the end of the wait, rounded up, since a wait is seen only some time after it began; 0:
 * unknown.
 */
static unsigned long long seconds_of(const struct end *end)
{
	return end->ends_ns > end->from_ns ?
		       (end->ends_ns - end->from_ns + SECOND_NS - 1) / SECOND_NS :
		       0;
}

static char *seconds_text(const char *before, const struct end *end, const char *after)
{
	unsigned long long seconds = seconds_of(end);

	return seconds ? text_format("%s%llu s%s", before, seconds, after) : text_copy("");
}

/* Whether this text of handlers begins with that of the signal in whose handler the thread stands. */
static bool runs(const struct end *end, const char *one)
{
	const char *signal = end->handler ? strstr(end->handler, "SIG") : NULL;
	size_t length = signal ? strlen(signal) : 0;

	return length && !strncmp(one, signal, length) &&
	       (one[length] == ',' || one[length] == ';' || !one[length]);
}

/* Those that do not run yet. */
static char *others(const struct end *end)
{
	char *list = text_copy("");

	for (const char *one = end->handlers; one && *one;) {
		const char *next = strstr(one, "; ");
		int length = next ? (int)(next - one) : (int)strlen(one);

		if (!runs(end, one))
			list = text_join(list, "; ", text_format("%.*s", length, one));
		one = next ? next + 2 : NULL;
	}
	return list;
}

/* ": SIGTERM, handled at stop (serve.py:12)"; of one that is known, ": stop (serve.py:12)"; or "". */
static char *which_handlers(const struct end *end)
{
	static const char handled[] = "handled at ";
	const char *one = strstr(end->handlers ?: "", handled);
	AUTO_FREE char *all = NULL;

	if (end->how == MPSAN_ENDS_TIMER)
		return one ? text_format(": %s", one + strlen(handled)) : text_copy("");
	all = others(end);
	return *all ? text_format(": %s", all) : text_copy("");
}

static char *repeated_text(const struct end *end)
{
	const char *fails = end->doubted || end->cycle ? "" : " cannot succeed, and";
	unsigned long long seconds = end->lasted_ns / SECOND_NS;

	return seconds ? text_format("; the wait%s has been repeated for %llu s%s", fails, seconds,
				     end->cycle ? " in vain" : "") :
			 text_format("; the wait%s is repeated whenever its time limit has run out",
				     fails);
}

static char *clause(const struct end *end)
{
	char *after = seconds_text(end->doubted ? " gives up after " : ", and gives up after ", end,
				   ""),
	     *in = seconds_text(" in ", end, ""), *due = seconds_text(", due in ", end, ","),
	     *which = which_handlers(end), *text;

	switch (end->how) {
	case MPSAN_ENDS_LIMIT:
		text = end->doubted ?
			       text_format("; the wait%s", *after ? after : " has a time limit") :
			       text_format("; the wait cannot succeed%s", after);
		break;
	case MPSAN_ENDS_POLL:
		text = repeated_text(end);
		break;
	case MPSAN_ENDS_ALARM:
		text = text_format("; SIGALRM ends the process%s", in);
		break;
	case MPSAN_ENDS_TIMER:
		text = text_format("; only the handler of SIGALRM%s could end the wait%s", due,
				   which);
		break;
	case MPSAN_ENDS_HANDLER:
		text = text_format(
			"; only the handler of a signal from outside could end the wait%s", which);
		break;
	default:
		text = *which ? text_format("; only a signal from outside could change that%s",
					    which) :
				text_copy("");
	}
	free(after);
	free(in);
	free(due);
	free(which);
	return text;
}

/* The names of the public report: two causes have the same one. */
static const char *name_of(uint64_t ends)
{
	switch (ends) {
	case MPSAN_ENDS_LIMIT:
	case MPSAN_ENDS_POLL:
		return "limit";
	case MPSAN_ENDS_ALARM:
		return "alarm";
	case MPSAN_ENDS_TIMER:
	case MPSAN_ENDS_HANDLER:
		return "handler";
	default:
		return "never";
	}
}

static json_t *seconds_json(const struct end *end)
{
	unsigned long long seconds = seconds_of(end);

	return seconds && end->how != MPSAN_ENDS_POLL ? json_integer((json_int_t)seconds) :
							json_null();
}

static char *add(json_t *finding, const struct end *end)
{
	json_object_set_new(finding, "ends", json_string(name_of(end->how)));
	json_object_set_new(finding, "ends_seconds", seconds_json(end));
	return clause(end);
}

/* Within this time of a wait's end, another one for the same thing is the same wait. */
#define RENEWED_NS 500000000ull

static bool renews(const struct fact_wait *wait, const struct fact_wait *before)
{
	return wait->at.by == before->at.by && wait->at.tid == before->at.tid &&
	       wait->ev.lock == before->ev.lock && before->end_ns &&
	       wait->at.time_ns - before->end_ns < RENEWED_NS;
}

/* The first and the last of the waits of which each follows on one that gave up. */
static const struct fact_wait *first_of(const struct facts *facts, const struct fact_wait *wait)
{
	for (const struct fact_wait *at = wait; at-- > facts->waits;)
		wait = renews(wait, at) ? at : wait;
	return wait;
}

static const struct fact_wait *last_of(const struct facts *facts, const struct fact_wait *wait)
{
	for (const struct fact_wait *at = wait; ++at < facts->waits + facts->wait_count;)
		wait = renews(at, wait) ? at : wait;
	return wait;
}

char *ends_add_wait(const struct facts *facts, const struct fact_wait *wait, json_t *finding)
{
	enum mpsan_wait_ends ends = fact_wait_ends(wait);

	if (ends == MPSAN_ENDS_LIMIT && last_of(facts, wait) != wait)
		ends = MPSAN_ENDS_POLL;
	return add(finding, &(struct end){.how = ends,
					  .ends_ns = wait->ev.ends_ns,
					  .from_ns = wait->at.time_ns});
}

char *ends_add(const struct reader *reader, const struct fact_deadlock *deadlock,
	       const char *handler, json_t *finding)
{
	const struct fact_blocked *first = deadlock_subject(&reader->facts, deadlock);
	bool limit = first && first->ev.ends == MPSAN_ENDS_LIMIT;

	if (!first || deadlock->ev.cause >= MPSAN_DEADLOCK_LONG)
		return text_copy("");
	return add(finding,
		   &(struct end){.how = first->ev.ends,
				 .ends_ns = first->ev.ends_ns,
				 .from_ns = limit ? first->ev.since : first->at.time_ns,
				 .lasted_ns = first->at.time_ns > first->ev.since ?
						      first->at.time_ns - first->ev.since :
						      0,
				 .cycle = deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE &&
					  first->ev.owner != first->at.tid,
				 .handlers = reader_text(reader, deadlock->at.slot,
							 deadlock->ev.handlers),
				 .handler = handler,
				 .doubted = deadlock_is_doubted(&reader->facts, deadlock)});
}

/* ---- what became of it ---- */

/* Within this time of a wait's end, the end of its process is taken for the consequence. */
#define CONSEQUENCE_NS 2000000000ull

/* A wait: whose, and from when until when; over_ns 0: to the end. */
struct course {
	uint32_t slot;
	uint64_t since_ns, over_ns;
	bool never; /* nothing but a signal from outside does */
};

static bool find_course(const struct facts *facts, uint32_t deadlock, uint32_t wait,
			struct course *course)
{
	const struct fact_deadlock *found = deadlock ? &facts->deadlocks[deadlock - 1] : NULL;
	const struct fact_blocked *first = found ? deadlock_subject(facts, found) : NULL;

	if (first && found->ev.cause < MPSAN_DEADLOCK_LONG)
		*course = (struct course){first->at.by, first->ev.since, found->over_ns,
					  first->ev.ends == MPSAN_ENDS_NEVER};
	else if (!deadlock && wait)
		*course = (struct course){facts->waits[wait - 1].at.by,
					  first_of(facts, &facts->waits[wait - 1])->at.time_ns,
					  last_of(facts, &facts->waits[wait - 1])->end_ns,
					  fact_wait_ends(&facts->waits[wait - 1]) ==
						  MPSAN_ENDS_NEVER};
	else
		return false;
	return true;
}

/*
 * The wait's end was not seen. Who was killed still waited; an exit may follow on the end of the wait, or be another
 * thread's.
 */
static char *unseen_text(const struct facts *facts, uint32_t slot, const char *who)
{
	const struct fact_process *process = &facts->processes[slot];
	AUTO_FREE char *end = NULL;

	if (!process->gone || process->stayed)
		return text_format("%s still waited when the session ended", who);
	end = process_ended_text(facts, slot);
	return text_format("%s %s %s", who, end,
			   process_end_signal(facts, slot) ? "while it waited" :
							     "before the wait was seen to end");
}

/* The signal that another process of the job sent last to this one while it waited; NULL: none. */
static const struct fact_event *last_signal(const struct facts *facts, const struct course *course)
{
	const struct fact_process *process = &facts->processes[course->slot];
	uint64_t until_ns = course->over_ns ?: process->gone_ns;
	const struct fact_event *found = NULL;

	for (uint32_t by = 0; by < facts->process_count; by++)
		for (uint32_t at = fact_event_of(facts, by, EV_killed, FACT_NONE); at != FACT_NONE;
		     at = fact_event_of(facts, by, EV_killed, at)) {
			const struct fact_event *event = &facts->events[at];

			if (by != course->slot && event->slot < facts->process_count &&
			    EVENT_AS(event, killed)->pid == process->slot->pid &&
			    event_time(event) >= course->since_ns &&
			    event_time(event) <= until_ns &&
			    (!found || event_time(event) > event_time(found)))
				found = event;
		}
	return found;
}

/* A watchdog of the program's own, as gunicorn's --timeout. */
static char *with_signal(const struct reader *reader, const struct course *course, char *text)
{
	const struct fact_event *event = last_signal(&reader->facts, course);
	AUTO_FREE char *who = NULL, *signal = NULL;

	if (!event)
		return text;
	who = process_text(reader, event->by);
	signal = text_signal((int)EVENT_AS(event, killed)->signal);
	text = text_join(text, "; ", text_format("%s had sent it %s", who, signal));
	return text;
}

static char *course_text(const struct reader *reader, const struct course *course)
{
	const struct fact_process *process = &reader->facts.processes[course->slot];
	bool ended = process->gone && !process->stayed;
	AUTO_FREE char *who = process_text(reader, course->slot), *end = NULL;
	char *text;

	if (reader->cut_ns && (!course->over_ns || course->over_ns >= reader->cut_ns)) {
		text = text_format("%s still waited when mpsan ended the program (--on-deadlock)",
				   who);
		return text;
	}
	if (!course->over_ns || (ended && process->gone_ns <= course->over_ns)) {
		text = unseen_text(&reader->facts, course->slot, who);
		return text;
	}
	end = ended && process->gone_ns - course->over_ns < CONSEQUENCE_NS ?
		      process_ended_text(&reader->facts, course->slot) :
		      text_copy("went on");
	text = text_format("the wait was over after %.0f s, and %s %s",
			   (double)(course->over_ns - course->since_ns) / 1e9, who, end);
	return text;
}

void ends_add_outcome(const struct reader *reader, uint32_t deadlock, uint32_t wait,
		      json_t *finding)
{
	struct course course;
	AUTO_FREE char *text = NULL;

	if (!find_course(&reader->facts, deadlock, wait, &course) ||
	    (course.never && !last_signal(&reader->facts, &course)))
		return;
	text = with_signal(reader, &course, course_text(reader, &course));
	json_object_set_new(finding, "outcome", json_string(text));
}
