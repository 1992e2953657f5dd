/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and JSON for what ends a wait that cannot succeed. */
#include "evidence_ends.h"

#include <stdlib.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/util.h"
#include "../rules/deadlock.h"

/* From `from_ns` to the end of the wait, as "20 s"; NULL: unknown. */
static char *lapse(const struct fact_blocked *blocked, uint64_t from_ns)
{
	return blocked->ev.ends_ns > from_ns ?
		       line_lapse((long long)from_ns, (long long)blocked->ev.ends_ns) :
		       NULL;
}

static char *clause(const struct fact_blocked *blocked)
{
	char *limit = lapse(blocked, blocked->ev.since),
	     *left = lapse(blocked, blocked->at.time_ns), *text;

	switch (blocked->ev.ends) {
	case MPSAN_ENDS_LIMIT:
		text = text_format("; the wait cannot succeed%s%s",
				   limit ? ", and gives up after " : "", limit ?: "");
		break;
	case MPSAN_ENDS_POLL:
		text = text_copy(
			"; the wait cannot succeed, and is repeated whenever its time limit "
			"has run out");
		break;
	case MPSAN_ENDS_ALARM:
		text = text_format("; SIGALRM ends the process%s%s", left ? " in " : "",
				   left ?: "");
		break;
	case MPSAN_ENDS_TIMER:
		text = text_format("; only the handler of SIGALRM%s%s could end the wait",
				   left ? ", due in " : "", left ?: "");
		break;
	case MPSAN_ENDS_HANDLER:
		text = text_copy("; only the handler of a signal from outside could end the wait");
		break;
	default:
		text = text_copy("");
	}
	free(limit);
	free(left);
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

/* A limit in seconds of the whole wait; what is left until an alarm; null: unknown. */
static json_t *seconds_of(const struct fact_blocked *blocked)
{
	bool limit = blocked->ev.ends == MPSAN_ENDS_LIMIT;
	uint64_t from_ns = limit ? blocked->ev.since : blocked->at.time_ns;

	if (blocked->ev.ends_ns <= from_ns || blocked->ev.ends == MPSAN_ENDS_POLL)
		return json_null();
	return json_real((double)((blocked->ev.ends_ns - from_ns) / 1000000) / 1e3);
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

	if (!first || deadlock->ev.cause == MPSAN_DEADLOCK_LONG)
		return;
	how = clause(first);
	json_object_set_new(finding, "ends", json_string(name_of(first->ev.ends)));
	json_object_set_new(finding, "ends_seconds", seconds_of(first));
	message = text_format("%s%s", jsontext_at(finding, "message"), how);
	json_object_set_new(finding, "message", json_string(message));
	free(message);
	free(how);
}
