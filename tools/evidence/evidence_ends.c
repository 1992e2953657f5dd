/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and JSON for what ends a wait that cannot succeed. */
#include "evidence_ends.h"

#include <stdlib.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "../rules/deadlock.h"

#define SECOND_NS 1000000000ull

/* What the texts and JSON need to know of the wait. */
struct end {
	uint64_t how, ends_ns;
	uint64_t from_ns; /* since it began, or when it was found */
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

static char *clause(const struct end *end)
{
	char *after = seconds_text(", and gives up after ", end, ""),
	     *in = seconds_text(" in ", end, ""), *due = seconds_text(", due in ", end, ","), *text;

	switch (end->how) {
	case MPSAN_ENDS_LIMIT:
		text = text_format("; the wait cannot succeed%s", after);
		break;
	case MPSAN_ENDS_POLL:
		text = text_copy(
			"; the wait cannot succeed, and is repeated whenever its time limit "
			"has run out");
		break;
	case MPSAN_ENDS_ALARM:
		text = text_format("; SIGALRM ends the process%s", in);
		break;
	case MPSAN_ENDS_TIMER:
		text = text_format("; only the handler of SIGALRM%s could end the wait", due);
		break;
	case MPSAN_ENDS_HANDLER:
		text = text_copy("; only the handler of a signal from outside could end the wait");
		break;
	default:
		text = text_copy("");
	}
	free(after);
	free(in);
	free(due);
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

static void add(json_t *finding, const struct end *end)
{
	char *how = clause(end), *message;

	json_object_set_new(finding, "ends", json_string(name_of(end->how)));
	json_object_set_new(finding, "ends_seconds", seconds_json(end));
	message = text_format("%s%s", jsontext_at(finding, "message"), how);
	json_object_set_new(finding, "message", json_string(message));
	free(message);
	free(how);
}

void ends_add_wait(const struct fact_wait *wait, json_t *finding)
{
	bool timed = wait->ev.flags & MPSAN_LF_TIMED;

	add(finding, &(struct end){timed ? MPSAN_ENDS_LIMIT : MPSAN_ENDS_NEVER, wait->ev.ends_ns,
				   wait->at.time_ns});
}

void ends_add(const struct facts *facts, const struct fact_deadlock *deadlock, json_t *finding)
{
	const struct fact_blocked *first = deadlock_sufferer(facts, deadlock);
	bool limit = first && first->ev.ends == MPSAN_ENDS_LIMIT;

	if (first && deadlock->ev.cause < MPSAN_DEADLOCK_LONG)
		add(finding, &(struct end){first->ev.ends, first->ev.ends_ns,
					   limit ? first->ev.since : first->at.time_ns});
}
