/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and JSON for what ends a wait that cannot succeed. */
#include "evidence_ends.h"

#include <stdlib.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "../rules/deadlock.h"

#define SECOND_NS 1000000000ull

/*
 * Seconds from `from_ns` to the end of the wait, rounded up, since a wait is seen only some time after
 * it began; 0: unknown.
 */
static unsigned long long lapse(const struct fact_blocked *blocked, uint64_t from_ns)
{
	return blocked->ev.ends_ns > from_ns ?
		       (blocked->ev.ends_ns - from_ns + SECOND_NS - 1) / SECOND_NS :
		       0;
}

/* Of the whole wait for a limit; what is left until an alarm; 0: unknown. */
static unsigned long long seconds_of(const struct fact_blocked *blocked)
{
	return lapse(blocked, blocked->ev.ends == MPSAN_ENDS_LIMIT ? blocked->ev.since :
								     blocked->at.time_ns);
}

static char *seconds_text(const char *before, const struct fact_blocked *blocked)
{
	unsigned long long seconds = seconds_of(blocked);

	return seconds ? text_format("%s%llu s", before, seconds) : text_copy("");
}

static char *clause(const struct fact_blocked *blocked)
{
	char *after = seconds_text(", and gives up after ", blocked),
	     *in = seconds_text(" in ", blocked), *due = seconds_text(", due in ", blocked), *text;

	switch (blocked->ev.ends) {
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

static json_t *seconds_json(const struct fact_blocked *blocked)
{
	unsigned long long seconds = seconds_of(blocked);

	return seconds && blocked->ev.ends != MPSAN_ENDS_POLL ? json_integer((json_int_t)seconds) :
								json_null();
}

void ends_add_never(json_t *finding)
{
	json_object_set_new(finding, "ends", json_string(name_of(MPSAN_ENDS_NEVER)));
	json_object_set_new(finding, "ends_seconds", json_null());
}

void ends_add(const struct facts *facts, const struct fact_deadlock *deadlock, json_t *finding)
{
	const struct fact_blocked *first = deadlock_sufferer(facts, deadlock);
	char *how, *message;

	if (!first || deadlock->ev.cause >= MPSAN_DEADLOCK_LONG)
		return;
	how = clause(first);
	json_object_set_new(finding, "ends", json_string(name_of(first->ev.ends)));
	json_object_set_new(finding, "ends_seconds", seconds_json(first));
	message = text_format("%s%s", jsontext_at(finding, "message"), how);
	json_object_set_new(finding, "message", json_string(message));
	free(message);
	free(how);
}
