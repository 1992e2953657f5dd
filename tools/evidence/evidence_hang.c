/* SPDX-License-Identifier: Apache-2.0 */
/* Who could still end a long wait, what each has done since, and the likely rule; who has the ends of pipes. */
#include "evidence_hang.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../facts/processes.h"
#include "../facts/wait_kinds.h"
#include "../rules/catalog.h"
#include "../rules/deadlock.h"
#include "text_process.h"

#define NAMED_MAX 4u /* threads in a sentence */

bool hang_is_bystander(const struct fact_deadlock *deadlock, const struct fact_blocked *blocked,
		       uint32_t index)
{
	return deadlock->ev.cause >= MPSAN_DEADLOCK_LONG && index > deadlock->begin &&
	       blocked->ev.kind == MPSAN_WAIT_SYSCALL;
}

/* "thread ticker of process 7 woke up 58 times, always back to nanosleep(), last at tick (t.py:7)": a loop may have several */
static char *bystander_text(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	const char *call = reader_text(ctx->reader, blocked->at.slot, blocked->ev.detail);
	uint64_t wakes = blocked->ev.wakes;
	struct callsite callsite;
	bool is_stopped;
	AUTO_FREE char *actor = NULL, *did = NULL, *number = NULL;
	char *text;

	callsite_init(ctx, &callsite, &blocked->at, blocked->at.tid, blocked->ev.stack,
		      blocked->ev.python);
	callsite_locate(ctx, &callsite, json_array_size(callsite.python) ? 0 : blocked->ev.caller,
			true);
	is_stopped = call && !strncmp(call, WAIT_STOPPED, strlen(WAIT_STOPPED));
	actor = callsite_actor(&callsite);
	did = blocked->ev.flags & MPSAN_LF_SPINS ? text_copy("runs all the time, and waits for") :
	      is_stopped ? text_copy("is stopped by a signal or a debugger, and waits for") :
	      wakes ? text_format("woke up %llu time%s, always back to", (unsigned long long)wakes,
				  wakes == 1 ? "" : "s") :
		      text_copy("stands all the time in");
	number = process_number(ctx->reader, blocked->at.by);
	text = text_format("%s of process %s %s %s%s at %s", actor ? actor : "a thread", number,
			   did, call ? call : "a system call", wakes ? ", last" : "",
			   callsite.where ? callsite.where : "an unknown place");
	callsite_finish(&callsite);
	return text;
}

static char *likely_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
			 bool others)
{
	enum rule_id rule = deadlock_likely(&ctx->reader->facts, deadlock);

	if (rule == RULE_COUNT)
		return text_copy("");
	return text_format("; likely %s%s", rule_slug(rule),
			   deadlock->ev.cause == MPSAN_DEADLOCK_LONG && others ?
				   ", unless one of these acts" :
				   "");
}

/* A process that was started beside the waiter, and is most likely one that it waits for. */
static char *ended_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	uint64_t slot = deadlock->ev.dead_slot;
	const struct mpsan_process *process = slot && slot <= ctx->reader->session.slots ?
						      &ctx->reader->session.table[slot - 1] :
						      NULL;
	char *number, *text;

	if (!process || deadlock->ev.cause != MPSAN_DEADLOCK_LONG)
		return text_copy("");
	number = process_number(ctx->reader, (uint32_t)slot - 1);
	if (process->end != MPSAN_END_EXIT)
		text = text_format("; process %s, which was started beside it, has ended", number);
	else
		text = text_format(
			"; process %s, which was started beside it, has ended (exit code %d)",
			number, process->end_value);
	free(number);
	return text;
}

/* Processes that were told to end, and did not. */
static char *told_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t before = FACT_NONE;
	char *text = text_copy("");

	for (uint32_t i = deadlock->begin; i < deadlock->end; i++) {
		uint32_t by = facts->blockeds[i].at.by;
		AUTO_FREE char *number = NULL, *name = NULL;
		int told = process_was_told_to_end(facts, by, deadlock->at.time_ns);

		if (by == before || !told)
			continue;
		before = by;
		number = process_number(ctx->reader, by);
		name = text_signal(told);
		text = text_join(text, "",
				 text_format("; process %s was sent %s before, %s", number, name,
					     told == SIGTERM ? "and goes on" : "which it ignores"));
	}
	return text;
}

char *hang_bystanders(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const char *handlers = reader_text(ctx->reader, deadlock->at.slot, deadlock->ev.detail);
	char *list = text_copy("");
	bool lasts = deadlock->ev.cause == MPSAN_DEADLOCK_LONG, others;
	uint32_t count = 0;

	if (deadlock->ev.cause < MPSAN_DEADLOCK_LONG)
		return list;
	for (uint32_t i = deadlock->begin; i < deadlock->end; i++) {
		const struct fact_blocked *blocked = &ctx->reader->facts.blockeds[i];

		if (hang_is_bystander(deadlock, blocked, i) && count++ < NAMED_MAX)
			list = text_join(list, "; ", bystander_text(ctx, blocked));
	}
	if (count > NAMED_MAX)
		list = text_join(list, "; ", text_format("%u more threads", count - NAMED_MAX));
	if (lasts && handlers && *handlers)
		list = text_join(list, "; ", text_copy(handlers));
	others = *list;
	if (others)
		list = text_join(text_copy(lasts ? "; what could still end it: " :
						   "; what could have ended it: "),
				 "", list);
	list = text_join(list, "", ended_text(ctx, deadlock));
	list = text_join(list, "", told_text(ctx, deadlock));
	return text_join(list, "", likely_text(ctx, deadlock, others));
}

/* ---- pipes and connections ---- */

char *hang_open_end(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	const char *eof =
		blocked->ev.kind == MPSAN_WAIT_PIPE_READ ?
			"has the pipe's write end open, so no end of file comes" :
			"has the other end of the connection open, so no end of file comes";
	uint64_t owner = blocked->ev.owner_slot;

	if (!wait_kind_reads(blocked->ev.kind))
		return text_copy("");
	if (owner == blocked->at.by + 1u)
		return text_format(" (the reader itself still %s)", eof);
	if (owner) {
		AUTO_FREE char *number = process_number(ctx->reader, (uint32_t)owner - 1);

		return text_format(" (process %s still %s)", number, eof);
	}
	return text_format(" (a process that waits, too, still %s)", eof);
}

char *hang_open_by(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	bool looped = blocked->ev.kind == MPSAN_WAIT_READY &&
		      blocked->frames.what != AWAITED_NOTHING &&
		      blocked->frames.what != AWAITED_READY;
	/* what an event loop waits for is not what its coroutine waits for */
	const char *text = blocked->ev.open_by && !looped ?
				   reader_text(ctx->reader, blocked->at.slot, blocked->ev.open_by) :
				   NULL;

	return text && *text ? text_format(" (%s)", text) : text_copy("");
}

char *hang_reader_end(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *reader = deadlock_reader(&ctx->reader->facts, deadlock);

	return reader ? hang_open_by(ctx, reader) : text_copy("");
}

char *hang_reader(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct facts *facts = &ctx->reader->facts;
	const struct fact_blocked *reader = deadlock_reader(facts, deadlock);
	AUTO_FREE char *number = NULL;

	if (!reader ||
	    deadlock_awaits_process(facts, &deadlock_subject(facts, deadlock)->ev, reader->at.by))
		return text_copy("which");
	number = process_number(ctx->reader, reader->at.by);
	return text_format("while process %s", number);
}
