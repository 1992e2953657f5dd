/* SPDX-License-Identifier: Apache-2.0 */
/* Tells of a dead owner. */
#include "dead_owner.h"

#include <stdlib.h>

#include "../../base/jsontext.h"
#include "../../facts/processes.h"
#include "../../rules/deadlock.h"
#include "../evidence_deadlock.h"
#include "../text_process.h"

/* "took Lock "lock", taken at f (a.c:3), and ", "had a task of the pool, and ", or "". */
static char *had_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = deadlock_subject(&ctx->reader->facts, deadlock);
	AUTO_FREE char *awaited = NULL, *taken = NULL;

	switch (deadlock->ev.cause) {
	case MPSAN_DEADLOCK_OWNER_GONE:
		awaited = deadlock_awaited(ctx, first);
		taken = deadlock_taken(ctx, first);
		return text_format("took %s%s%s, and ", awaited, taken ? " at " : "", taken ?: "");
	case MPSAN_DEADLOCK_TASK_LOST:
		return text_copy("had a task of the pool, and ");
	default:
		return text_copy("");
	}
}

/* "; process 7 had sent it SIGKILL at stop (job.py:40)", or what the supervisor knows of the kernel. */
static char *ended_by(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		      uint32_t slot)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t at = process_ended_by(facts, slot);
	const struct fact_event *event = at == FACT_NONE ? NULL : &facts->events[at];
	const char *detail =
		deadlock->ev.cause == MPSAN_DEADLOCK_OWNER_GONE ?
			reader_text(ctx->reader, deadlock->at.slot, deadlock->ev.detail) :
			NULL;
	AUTO_FREE char *who = NULL, *signal = NULL, *where = NULL;
	struct fact_place place;

	if (!event)
		return text_copy(detail ?: "");
	place = reader_event_place(ctx->reader, event);
	where = callsite_line(ctx, &place, EVENT_AS(event, killed)->python);
	if (!where) {
		json_auto_t *frame =
			frame_of_caller(ctx->frames, &place, EVENT_AS(event, killed)->caller);

		where = frame_text(frame);
	}
	who = process_text(ctx->reader, event->by);
	signal = text_signal((int)EVENT_AS(event, killed)->signal);
	return text_format("; %s had sent it %s%s%s", who, signal, where ? " at " : "",
			   where ?: "");
}

static bool has_owner(enum mpsan_deadlock_cause cause)
{
	return cause == MPSAN_DEADLOCK_OWNER_GONE || cause == MPSAN_DEADLOCK_WAITER_GONE ||
	       cause == MPSAN_DEADLOCK_TASK_LOST || cause == MPSAN_DEADLOCK_RANKS;
}

void dead_owner_step(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		     json_t *steps)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t slot = (uint32_t)deadlock->ev.dead_slot - 1;
	AUTO_FREE char *who = NULL, *had = NULL, *end = NULL, *by = NULL, *text = NULL;
	struct callsite callsite;
	struct fact_place at;

	if (!deadlock_dead_process(ctx, deadlock) || !has_owner(deadlock->ev.cause) ||
	    !facts->processes[slot].gone || facts->processes[slot].stayed)
		return;
	at = (struct fact_place){.slot = slot,
				 .by = slot,
				 .tid = facts->processes[slot].slot->pid,
				 .time_ns = facts->processes[slot].gone_ns};
	callsite_init(ctx, &callsite, &at, at.tid, 0, 0);
	who = process_text(ctx->reader, slot);
	had = had_text(ctx, deadlock);
	end = process_end_text(ctx->reader, slot, NULL);
	by = ended_by(ctx, deadlock, slot);
	text = text_format("%s %s%s%s", who, had, end, by);
	json_array_append_new(steps, callsite_step(ctx, &callsite, STEP_ENDED, jsontext_of(text)));
	callsite_finish(&callsite);
}
