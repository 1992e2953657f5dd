/* SPDX-License-Identifier: Apache-2.0 */
/* Tells of a dead owner. */
#include "dead_owner.h"

#include <stdlib.h>

#include "../../base/jsontext.h"
#include "../../facts/exceptions.h"
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

/* Where a signal was sent. */
static char *sent_at(const struct evidence_context *ctx, const struct fact_event *event)
{
	struct fact_place place = reader_event_place(ctx->reader, event);
	json_auto_t *python = frames_python(ctx->frames, &place, EVENT_AS(event, killed)->python),
		    *native = json_array_size(python) ?
				      NULL :
				      frame_of_caller(ctx->frames, &place,
						      EVENT_AS(event, killed)->caller);
	AUTO_FREE char *where = frame_text(native ?: frames_first_script(python));

	return where ? text_format(" at %s", where) : text_copy("");
}

char *ended_by_text(const struct evidence_context *ctx, uint32_t slot)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t at = process_ended_by(facts, slot);
	const struct fact_event *event = at == FACT_NONE ? NULL : &facts->events[at];
	AUTO_FREE char *who = NULL, *signal = NULL, *where = NULL;
	bool itself = event && event->by == slot;

	if (!event)
		return text_copy("");
	where = sent_at(ctx, event);
	who = itself ? text_copy("it") : process_text(ctx->reader, event->by);
	signal = text_signal((int)EVENT_AS(event, killed)->signal);
	return text_format("; %s had sent %s %s%s", who, itself ? "itself" : "it", signal, where);
}

/* What the supervisor knows of the kernel. */
static const char *by_kernel(const struct evidence_context *ctx,
			     const struct fact_deadlock *deadlock)
{
	const char *detail =
		deadlock->ev.cause == MPSAN_DEADLOCK_OWNER_GONE ?
			reader_text(ctx->reader, deadlock->at.slot, deadlock->ev.detail) :
			NULL;

	return detail ?: "";
}

/* Where it exited, if that is in the program and no exception says it: Python exits of itself in multiprocessing. */
static char *left_at(const struct evidence_context *ctx, uint32_t slot)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t at = facts->processes[slot].slot->end == MPSAN_END_EXIT &&
				      exception_of_process(facts, slot) == FACT_NONE ?
			      fact_event_of(facts, slot, EV_left, FACT_NONE) :
			      FACT_NONE;
	const struct fact_event *event = at == FACT_NONE ? NULL : &facts->events[at];
	json_auto_t *python = NULL;
	struct fact_place place;
	json_t *frame;

	if (!event)
		return text_copy("");
	place = reader_event_place(ctx->reader, event);
	python = frames_python(ctx->frames, &place, EVENT_AS(event, left)->python);
	frame = json_array_get(python, 0);
	if (!frame || frame_distance(frame))
		return text_copy("");
	return text_join(text_copy("; it ended at "), "", frame_text(frame));
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
	AUTO_FREE char *who = NULL, *had = NULL, *end = NULL, *by = NULL, *left = NULL,
		       *text = NULL;
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
	by = ended_by_text(ctx, slot);
	left = left_at(ctx, slot);
	text = text_format("%s %s%s%s%s", who, had, end, *by ? by : by_kernel(ctx, deadlock), left);
	json_array_append_new(steps, callsite_step(ctx, &callsite, STEP_ENDED, jsontext_of(text)));
	callsite_finish(&callsite);
}
