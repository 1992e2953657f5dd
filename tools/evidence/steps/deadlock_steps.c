/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the steps of a deadlock, with the edges of the wait-for graph. */
#include <stdlib.h>
#include <string.h>

#include "../../base/jsontext.h"
#include "../../rules/deadlock.h"
#include "../../symbols/raised.h"
#include "../evidence_deadlock.h"
#include "../text_locks.h"
#include "alike.h"
#include "dead_owner.h"

/* The owner of what a thread waits for: a thread that may have ended, or whose process died. */
struct edge_owner {
	uint32_t pid, tid;
	bool gone;
	char *thread; /* NULL: unknown */
};

/* Whether it waits for what a process had that has ended: as the finding's thread, or for the same lock. */
static bool lacks_owner(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
			const struct fact_blocked *blocked)
{
	const struct fact_blocked *subject = deadlock_subject(&ctx->reader->facts, deadlock);
	AUTO_FREE char *awaited = NULL, *lock = NULL;

	if (blocked->ev.owner || !deadlock_dead_process(ctx, deadlock))
		return false;
	if (blocked == subject || deadlock->ev.cause != MPSAN_DEADLOCK_OWNER_GONE ||
	    blocked->ev.kind != subject->ev.kind)
		return blocked == subject;
	awaited = deadlock_awaited(ctx, blocked);
	lock = deadlock_awaited(ctx, subject);
	return !strcmp(awaited, lock);
}

static struct edge_owner edge_owner(const struct evidence_context *ctx,
				    const struct fact_deadlock *deadlock,
				    const struct fact_blocked *blocked)
{
	const struct ev_blocked *ev = &blocked->ev;
	uint32_t slot = ev->owner_slot ? (uint32_t)ev->owner_slot - 1 : blocked->at.by;
	const struct mpsan_process *dead = deadlock_dead_process(ctx, deadlock);
	bool gone = ev->flags & MPSAN_LF_OWNER_DEAD || lacks_owner(ctx, deadlock, blocked);

	return (struct edge_owner){
		.pid = gone && dead ? dead->pid : reader_pid(ctx->reader, slot),
		.tid = (uint32_t)(ev->owner ? ev->owner :
				  gone	    ? ev->taker :
					      0),
		.gone = gone,
		.thread = ev->owner && !gone ?
				  thread_text(ctx->reader, ctx->frames, slot, (uint32_t)ev->owner,
					      blocked->at.time_ns) :
				  NULL,
	};
}

/* An edge of the wait-for graph. */
static json_t *edge_json(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
			 const struct fact_blocked *blocked)
{
	const uint64_t since = blocked->ev.since ? blocked->ev.since : blocked->at.time_ns;
	AUTO_FREE char *awaited = deadlock_awaited(ctx, blocked),
		       *taken = deadlock_taken(ctx, blocked);
	struct edge_owner owner = edge_owner(ctx, deadlock, blocked);
	json_t *edge = json_pack("{s:o, s:I, s:I, s:o, s:b, s:o, s:I}", "what",
				 jsontext_of(awaited), "pid", (json_int_t)owner.pid, "tid",
				 (json_int_t)owner.tid, "thread", jsontext_of(owner.thread), "gone",
				 owner.gone, "taken", jsontext_of(taken), "since_ns",
				 (json_int_t)reader_real_ns(ctx->reader, since));

	free(owner.thread);
	return edge;
}

/* A step that says whose it is in the job. */
static json_t *rank_step(const struct evidence_context *ctx, const struct callsite *callsite,
			 const struct fact_blocked *blocked, const char *edge)
{
	uint64_t rank = blocked->ev.rank;
	AUTO_FREE char *text =
		rank ? text_format("rank %llu: %s", (unsigned long long)rank - 1, edge) :
		       text_copy(edge);
	json_t *step = callsite_step(ctx, callsite, STEP_BLOCKED, jsontext_of(text));

	if (rank)
		json_object_set_new(step, "rank", json_integer((json_int_t)rank - 1));
	return step;
}

/* Whether one of the others waits for it, or for its end. */
static bool is_awaited(const struct facts *facts, const struct fact_deadlock *deadlock,
		       const struct fact_blocked *one)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end; i++)
		if (facts->blockeds[i].ev.owner == one->at.tid &&
		    facts->blockeds[i].ev.owner_slot == one->at.by + 1u)
			return true;
	return false;
}

/* Whether the lock is what is awaited: each waiter for a condition or an event has one of its own. */
static bool is_object(const struct fact_blocked *blocked)
{
	return blocked->frames.what == AWAITED_NOTHING ||
	       awaited_nature(blocked->frames.what) == AWAITED_LOCK;
}

static bool awaits_end(const struct fact_blocked *blocked)
{
	return blocked->ev.kind == MPSAN_WAIT_PROCESS || blocked->ev.kind == MPSAN_WAIT_JOIN ||
	       awaited_nature(blocked->frames.what) == AWAITED_END;
}

static struct alike_wait wait_alike(const struct evidence_context *ctx,
				    const struct fact_deadlock *deadlock,
				    const struct fact_blocked *blocked, enum edge_style style)
{
	const struct facts *facts = &ctx->reader->facts;
	bool subject = blocked == deadlock_subject(facts, deadlock);
	struct alike_wait wait = {
		.lock = is_object(blocked) ? blocked->ev.lock : 0,
		.single = subject || blocked->ev.flags & MPSAN_LF_CYCLE ||
			  is_awaited(facts, deadlock, blocked),
		.follows = awaits_end(blocked),
		.awaited = deadlock_edge_awaited(ctx, blocked, EDGE_PLACED),
	};
	struct callsite callsite;
	AUTO_FREE char *text = NULL;

	deadlock_callsite(ctx, blocked, &callsite);
	text = deadlock_edge(ctx, blocked, &callsite, style);
	wait.step = rank_step(ctx, &callsite, blocked, text);
	json_object_set_new(wait.step, "waits_for", edge_json(ctx, deadlock, blocked));
	if (callsite.where)
		wait.place =
			text_join(text_copy(callsite.where), "", raised_text(callsite.handling));
	callsite_finish(&callsite);
	return wait;
}

void deadlock_steps(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		    json_t *steps)
{
	bool own = deadlock_rule(&ctx->reader->facts, deadlock) == RULE_self_deadlock;
	struct alike_wait wait[DEADLOCK_STEPS];
	uint32_t count = 0;

	dead_owner_step(ctx, deadlock, steps);
	for (uint32_t i = deadlock->begin; i < deadlock->end && count < DEADLOCK_STEPS;
	     i++, count++)
		wait[count] = wait_alike(ctx, deadlock, &ctx->reader->facts.blockeds[i],
					 own && !count ? EDGE_OWN : EDGE_PLACED);
	alike_steps(wait, count, steps);
}
