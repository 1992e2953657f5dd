/* SPDX-License-Identifier: Apache-2.0 */
/* Steps, sentences and wait-for edges of deadlocks. */
#include "evidence_deadlock.h"

#include "../facts/processes.h"
#include "../rules/dead_ends.h"
#include "../rules/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../reader/threads.h"
#include "../symbols/raised.h"
#include "args.h"
#include "evidence_hang.h"
#include "text_process.h"
#include "text_waits.h"

#define NAMED_MAX 4u /* threads in a sentence */

void deadlock_callsite(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		       struct callsite *callsite)
{
	callsite_init(ctx, callsite, &blocked->at, blocked->at.tid, blocked->ev.stack,
		      blocked->ev.python);
	callsite_handles(ctx, callsite, blocked->ev.raised);
	callsite_locate(ctx, callsite, json_array_size(callsite->python) ? 0 : blocked->ev.caller,
			true);
}

static char *thread_actor(const struct evidence_context *ctx, uint32_t slot, uint32_t tid,
			  uint64_t time_ns)
{
	struct callsite callsite = {
		.tid = tid, .thread = thread_text(ctx->reader, ctx->frames, slot, tid, time_ns)};
	char *actor = callsite_actor(&callsite);

	free(callsite.thread);
	return actor;
}

const struct mpsan_process *deadlock_dead_process(const struct evidence_context *ctx,
						  const struct fact_deadlock *deadlock)
{
	return deadlock->ev.dead_slot && deadlock->ev.dead_slot <= ctx->reader->session.slots ?
		       &ctx->reader->session.table[deadlock->ev.dead_slot - 1] :
		       NULL;
}

static char *deadlock_dead(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = &ctx->reader->facts.blockeds[deadlock->begin];
	char *number, *text;

	if (deadlock_dead_process(ctx, deadlock)) {
		number = process_number(ctx->reader, (uint32_t)deadlock->ev.dead_slot - 1);
		text = text_format("process %s", number);
		free(number);
		return text;
	}
	return text_format("thread %llu", (unsigned long long)first->ev.owner);
}

static char *deadlock_dead_end(const struct evidence_context *ctx,
			       const struct fact_deadlock *deadlock)
{
	const struct mpsan_process *process = deadlock_dead_process(ctx, deadlock);
	int number;

	if (!process)
		return text_copy("the thread has ended");
	number = process_end_signal(&ctx->reader->facts, (uint32_t)deadlock->ev.dead_slot - 1);
	if (number)
		return text_signal(number);
	if (process->end == MPSAN_END_EXIT && process->end_value >= 0)
		return text_format("exit code %d", process->end_value);
	return text_copy("killed, or ended for an unknown reason");
}

/* The wait's description; its arrays are released by drop_wait. */
static struct wait_ref wait_of(const struct evidence_context *ctx,
			       const struct fact_blocked *blocked)
{
	const struct ev_blocked *ev = &blocked->ev;
	json_t *native = frames_native(ctx->frames, &blocked->at, ev->stack);

	return (struct wait_ref){
		.lock = {&blocked->at, NULL, ev->lock, ev->kind, ev->flags, native},
		.python = ev->flags & MPSAN_LF_CLOSED ? /* its call says more */
				  NULL :
				  frames_python(ctx->frames, &blocked->at, ev->python),
		.owned = ev->owner || ev->flags & (MPSAN_LF_CYCLE | MPSAN_LF_OWNER_DEAD),
		.call = wait_kind(ev->kind)->call != TOLD_NO &&
					wait_kind(ev->kind)->flow == FLOW_NO ?
				reader_text(ctx->reader, blocked->at.slot, ev->detail) :
				NULL,
	};
}

static void drop_wait(const struct wait_ref *wait)
{
	json_decref(wait->lock.native);
	json_decref(wait->python);
}

char *deadlock_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	struct wait_ref wait = wait_of(ctx, blocked);
	char *text = wait_text(ctx->reader, ctx->frames, &wait);

	drop_wait(&wait);
	return text;
}

const char *deadlock_native_fix(const struct evidence_context *ctx, const struct finding *finding)
{
	const struct facts *facts = &ctx->reader->facts;
	bool in_general = finding->rule == RULE_deadlock_cycle || finding->rule == RULE_hang;
	const struct fact_deadlock *deadlock = in_general && finding->deadlock && !finding->cause &&
							       !finding->process ?
						       &facts->deadlocks[finding->deadlock - 1] :
						       NULL;
	const struct fact_blocked *last;
	const struct native_wait *native;
	struct wait_ref wait;

	if (!deadlock || deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE)
		return NULL;
	last = dead_end_last(facts, deadlock);
	if (last->ev.kind != MPSAN_WAIT_FUTEX)
		return NULL;
	wait = wait_of(ctx, last);
	native = native_wait(wait.lock.native);
	drop_wait(&wait);
	return native ? native->fix : NULL;
}

static char *process_in(const struct evidence_context *ctx, uint32_t slot, enum edge_style style)
{
	AUTO_FREE char *number = NULL;

	if (style == EDGE_NAMED)
		return process_text(ctx->reader, slot);
	number = process_number(ctx->reader, slot);
	return text_format("process %s", number);
}

static char *deadlock_owner(const struct evidence_context *ctx, const struct fact_blocked *blocked,
			    enum edge_style style)
{
	const struct ev_blocked *ev = &blocked->ev;
	uint32_t slot = ev->owner_slot ? (uint32_t)ev->owner_slot - 1 : blocked->at.by;
	char *actor, *process, *text;

	if (!ev->owner)
		return NULL;
	if (ev->flags & MPSAN_LF_OWNER_DEAD)
		return text_format("thread %llu, which has ended", (unsigned long long)ev->owner);
	actor = thread_actor(ctx, slot, (uint32_t)ev->owner, blocked->at.time_ns);
	if (slot == blocked->at.by)
		return actor;
	process = process_in(ctx, slot, style);
	text = text_format("%s of %s", actor, process);
	free(process);
	free(actor);
	return text;
}

char *deadlock_taken(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	struct fact_place at = blocked->at;
	json_auto_t *frame = NULL;

	if (blocked->ev.taken_python)
		return callsite_line(ctx, &blocked->at, blocked->ev.taken_python);
	if (!blocked->ev.taken || !blocked->ev.taken_slot || blocked->ev.flags & MPSAN_LF_PYTHON)
		return NULL;
	at.by = (uint32_t)blocked->ev.taken_slot - 1;
	frame = frame_of_caller(ctx->frames, &at, blocked->ev.taken);
	return frame && !frame_is_header(frame) ? frame_text(frame) : NULL;
}

static bool owns_itself(const struct fact_blocked *blocked)
{
	return blocked->ev.owner == blocked->at.tid &&
	       blocked->ev.owner_slot == blocked->at.by + 1u;
}

void deadlock_hold(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		   struct callsite *holder)
{
	bool python = blocked->ev.taken_python || blocked->ev.flags & MPSAN_LF_PYTHON;

	callsite_init(ctx, holder, &blocked->at, blocked->at.tid, 0, blocked->ev.taken_python);
	callsite_locate(ctx, holder, python ? 0 : blocked->ev.taken, python);
}

/* ", started at main (job.py:9)", or "". The caller frees it. */
static char *thread_started(const struct evidence_context *ctx, uint32_t slot, uint32_t tid,
			    uint64_t time_ns)
{
	const struct fact_thread *thread = threads_at(ctx->reader, slot, tid, time_ns);
	json_auto_t *python = thread ? frames_python(ctx->frames, &thread->at, thread->ev.python) :
				       NULL;
	AUTO_FREE char *place = frame_text(frames_first_script(python));

	return place ? text_format(", started at %s", place) : text_copy("");
}

/*
 * "lock X, probably held by thread Y"; "lock X, which thread Y took and did not release before it ended"; "lock X".
 */
static char *awaited_with_taker(const struct evidence_context *ctx,
				const struct fact_blocked *blocked, const char *awaited)
{
	const struct ev_blocked *ev = &blocked->ev;
	uint32_t slot = blocked->at.by, taker = (uint32_t)ev->taker;
	uint64_t time_ns = blocked->at.time_ns;
	AUTO_FREE char *actor = taker ? thread_actor(ctx, slot, taker, time_ns) : NULL,
		       *started = taker ? thread_started(ctx, slot, taker, time_ns) : NULL;
	char *text;

	if (!taker)
		text = text_copy(awaited);
	else if (!(ev->flags & MPSAN_LF_OWNER_DEAD))
		text = text_format("%s, probably held by %s", awaited, actor);
	else
		text = text_format("%s, which %s%s%s took and did not release before it ended",
				   awaited, actor, started, *started ? "," : "");
	return text_join(text, "", hang_open_by(ctx, blocked));
}

/* "lock X, held by thread Y"; "the end of thread Y". */
static char *awaited_with_owner(const struct evidence_context *ctx,
				const struct fact_blocked *blocked, enum edge_style style)
{
	struct wait_ref wait = wait_of(ctx, blocked);
	AUTO_FREE char *awaited = wait_text(ctx->reader, ctx->frames, &wait),
		       *owner = deadlock_owner(ctx, blocked, style);
	char *text;

	if (!owner)
		text = awaited_with_taker(ctx, blocked, awaited);
	else if (wait_is_join(&wait))
		text = text_format("the end of %s", owner);
	else if (owns_itself(blocked))
		text = text_format("%s, which it holds itself", awaited);
	else
		text = text_format(
			"%s, %s by %s", awaited,
			blocked->frames.what == AWAITED_POOL_RESULT ? "delivered" : "held", owner);
	drop_wait(&wait);
	return text;
}

/* Where the joined thread was started; "": unknown, or it waits for something else. */
static char *joined_started(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	const struct ev_blocked *ev = &blocked->ev;
	uint32_t slot = ev->owner_slot ? (uint32_t)ev->owner_slot - 1 : blocked->at.by;
	struct wait_ref wait = wait_of(ctx, blocked);
	bool joins = wait_is_join(&wait) && ev->owner;

	drop_wait(&wait);
	return joins ? thread_started(ctx, slot, (uint32_t)ev->owner, blocked->at.time_ns) :
		       text_copy("");
}

/* ", taken at take (job.py:7)", ", started at main (job.py:9)", or "". The caller frees it. */
static char *owner_origin(const struct evidence_context *ctx, const struct fact_blocked *blocked)
{
	AUTO_FREE char *taken = deadlock_taken(ctx, blocked);
	bool own = !blocked->ev.owner && blocked->ev.taken_slot == blocked->at.by + 1u;

	if (!taken)
		return joined_started(ctx, blocked);
	return text_format(", taken %sat %s", own ? "by the waiter itself " : "", taken);
}

char *deadlock_edge_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked,
			    enum edge_style style)
{
	char *whole = awaited_with_owner(ctx, blocked, style);

	return style == EDGE_PLACED ? text_join(whole, "", owner_origin(ctx, blocked)) : whole;
}

char *deadlock_edge(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		    const struct callsite *callsite, enum edge_style style)
{
	bool foreign = style == EDGE_FOREIGN || style == EDGE_NAMED,
	     full = style <= EDGE_OWN && callsite->where;
	AUTO_FREE char *actor = callsite_actor(callsite) ?: text_copy("a thread"),
		       *process = process_in(ctx, blocked->at.by, style),
		       *handling = raised_text(callsite->handling),
		       *whole = deadlock_edge_awaited(ctx, blocked, style);
	char *who;
	const char *comma = *handling ? "," : "";

	who = full ? text_format("%s of %s at %s%s", actor, process, callsite->where, handling) :
		     text_format("%s%s%s%s%s%s", actor, foreign ? " of " : "",
				 foreign ? process : "", comma, handling, comma);
	return text_join(who, " waits for ", text_copy(whole));
}

/* Whether it is of the circle, or on the way from the first one to what that waits for in the end. */
static bool is_on_way(const struct facts *facts, const struct fact_deadlock *deadlock,
		      const struct fact_blocked *blocked)
{
	const struct fact_blocked *at = deadlock_subject(facts, deadlock);

	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END)
		return deadlock->ev.cause != MPSAN_DEADLOCK_CYCLE ||
		       blocked->ev.flags & MPSAN_LF_CYCLE;
	for (uint32_t i = deadlock->begin; at && at != blocked && i < deadlock->end; i++)
		at = dead_end_next(facts, deadlock, at);
	return at == blocked;
}

/* "thread A waits for mutex X, held by thread B; thread B waits ...": those on the way first. `placed`: of whom more is told. */
static char *deadlock_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
			   const struct fact_blocked *placed, enum edge_style style)
{
	const struct facts *facts = &ctx->reader->facts;
	unsigned turns = deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE ? 1 : 2;
	char *list = text_copy("");
	uint32_t named = 0;

	for (unsigned turn = 0; turn < turns; turn++)
		for (uint32_t i = deadlock->begin; i < deadlock->end && named < NAMED_MAX; i++) {
			const struct fact_blocked *blocked = &facts->blockeds[i];
			struct callsite callsite;

			if (is_on_way(facts, deadlock, blocked) == (turn != 0) ||
			    hang_is_bystander(deadlock, blocked, i))
				continue;
			callsite_init(ctx, &callsite, &blocked->at, blocked->at.tid, 0, 0);
			if (blocked != placed)
				callsite_handles(ctx, &callsite, blocked->ev.raised);
			list = text_join(list, named++ ? "; " : "",
					 deadlock_edge(ctx, blocked, &callsite, style));
			callsite_finish(&callsite);
		}
	return list;
}

void deadlock_args(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   const char *message, json_t *args)
{
	const struct facts *facts = &ctx->reader->facts;
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);
	const char *detail = reader_text(ctx->reader, deadlock->at.slot, deadlock->ev.detail);
	uint64_t lasted_ns = deadlock->until_ns - first->ev.since;
	AUTO_FREE char *taken = deadlock_taken(ctx, first);
	const struct fact_blocked *placed = strstr(message, "{wait_at}") ? first : NULL;
	bool across = deadlock_is_across(facts, deadlock);
	char *waits = deadlock_text(ctx, deadlock, placed, across ? EDGE_FOREIGN : EDGE_PLAIN);

	args_set(args, ARG_deadlock_named,
		 across ? deadlock_text(ctx, deadlock, placed, EDGE_NAMED) : text_copy(waits));
	args_set(args, ARG_deadlock, waits);
	args_set(args, ARG_open_end, hang_open_end(ctx, dead_end_last(facts, deadlock)));
	args_set(args, ARG_open_by, hang_reader_end(ctx, deadlock));
	args_set(args, ARG_reader, hang_reader(ctx, deadlock));
	args_set(args, ARG_pools, pools_text(ctx, deadlock));
	args_set(args, ARG_bystanders, hang_bystanders(ctx, deadlock));
	args_set(args, ARG_awaited, deadlock_awaited(ctx, first));
	args_set(args, ARG_dead, deadlock_dead(ctx, deadlock));
	args_set(args, ARG_dead_named,
		 deadlock_dead_process(ctx, deadlock) ?
			 process_text(ctx->reader, (uint32_t)deadlock->ev.dead_slot - 1) :
			 deadlock_dead(ctx, deadlock));
	args_set(args, ARG_dead_end, deadlock_dead_end(ctx, deadlock));
	args_set(args, ARG_detail, text_copy(detail ? detail : ""));
	args_set(args, ARG_taken, taken ? text_format(" at %s", taken) : text_copy(""));
	args_set(args, ARG_own, taken ? text_format(", taken at %s", taken) : text_copy(""));
	args_set(args, ARG_waits,
		 text_copy(first->ev.ends || deadlock_is_doubted(facts, deadlock) ?
				   "waits" :
				   "waits forever"));
	args_set(args, ARG_since,
		 text_format("%llu", (unsigned long long)(lasted_ns / 1000000000ull)));
}

/*
 * What kind of thing a thread waits for. Versions of Python wait for one object in different ways,
 * and locks in C may be known or be bare futexes.
 */
static const char *manner_of(const struct callsite *callsite, unsigned kind)
{
	if (kind >= MPSAN_WAIT_PROCESS && kind != MPSAN_LOCK_PYTHON)
		return lock_kind_text(kind, 0);
	if (json_array_size(callsite->python))
		return "object";
	switch (kind) {
	case MPSAN_WAIT_COND:
	case MPSAN_WAIT_BARRIER:
	case MPSAN_WAIT_JOIN:
		return lock_kind_text(kind, 0);
	default:
		return "lock";
	}
}

void deadlock_hash(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   uint64_t *hash)
{
	const struct fact_blocked *blockeds = ctx->reader->facts.blockeds;
	bool circle = deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE;
	uint64_t sum = 0;

	for (uint32_t i = deadlock->begin;
	     i < deadlock->end && i - deadlock->begin < DEADLOCK_STEPS; i++) {
		uint64_t one = HASH_EMPTY;
		struct callsite callsite;

		if (circle ? !(blockeds[i].ev.flags & MPSAN_LF_CYCLE) : i > deadlock->begin)
			continue;
		deadlock_callsite(ctx, &blockeds[i], &callsite);
		callsite_hash(&one, &callsite);
		callsite_hash_text(&one, manner_of(&callsite, (unsigned)blockeds[i].ev.kind));
		callsite_finish(&callsite);
		sum += one;
	}
	*hash = hash_add(*hash, sum);
}
