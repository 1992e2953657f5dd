/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the JSON object of a finding: collects its call sites, sets the message's arguments, and
 * computes its fingerprint.
 */
#include "evidence.h"

#include <stdlib.h>

#include "../base/jsontext.h"
#include "../rules/catalog.h"
#include "../rules/deadlock.h"
#include "../symbols/raised.h"
#include "args.h"
#include "callsite.h"
#include "evidence_because.h"
#include "evidence_cuda.h"
#include "evidence_deadlock.h"
#include "evidence_ends.h"
#include "evidence_event.h"
#include "evidence_order.h"
#include "evidence_subject.h"
#include "lost_signallers.h"
#include "reentry.h"
#include "text_locks.h"
#include "text_process.h"

struct evidence {
	struct evidence_context ctx;
	const struct reader *reader;
	struct frames *frames;
	const struct finding *finding;
	const struct fact_held *held; /* these may be NULL */
	const struct fact_fork *fork;
	const struct fact_deadlock *deadlock;
	const struct fact_order *order;
	/* the thread affected: of the wait or unlock, else of the fork */
	const struct fact_place *subject;
	struct callsite holder, forker, waiter;
	struct cuda_subjects cuda;
	bool is_cuda;
	struct event_subjects events;
	bool is_event;
	struct lock_ref lock;
	char *lock_key;
	json_t *args; /* by placeholder */
};

static void set_holder(struct evidence *evidence)
{
	const struct ev_held *ev = &evidence->held->ev;
	const char *name = reader_text(evidence->reader, evidence->held->at.slot, ev->thread_name);
	bool python = ev->flags & MPSAN_LF_PYTHON;

	callsite_init(&evidence->ctx, &evidence->holder, &evidence->held->at, ev->holder, ev->stack,
		      ev->python ?: ev->taken);
	/* the caller of the C library is the interpreter: no place of the program's own */
	callsite_locate(&evidence->ctx, &evidence->holder,
			python && !evidence->held->ev.fork ? 0 : ev->caller,
			python || ev->kind > MPSAN_LOCK_CUSTOM);
	evidence->holder.taken = callsite_line(&evidence->ctx, &evidence->held->at, ev->taken);
	if (name) {
		free(evidence->holder.thread);
		evidence->holder.thread = text_copy(name);
	}
	/* what a `with` block takes is an object, whatever the thread does inside */
	evidence->lock = (struct lock_ref){&evidence->held->at,
					   evidence->held,
					   ev->lock,
					   ev->kind,
					   ev->flags,
					   ev->taken ? NULL : evidence->holder.native};
}

static void set_waiter(struct evidence *evidence, const struct fact_place *at, uint64_t stack,
		       uint64_t python, uint64_t caller)
{
	evidence->subject = at;
	callsite_init(&evidence->ctx, &evidence->waiter, at, at->tid, stack, python);
	callsite_locate(&evidence->ctx, &evidence->waiter, caller, true);
}

static void evidence_gather(struct evidence *evidence)
{
	const struct facts *facts = &evidence->reader->facts;
	const struct finding *finding = evidence->finding;

	if (finding->fork - 1 < facts->fork_count) {
		evidence->fork = &facts->forks[finding->fork - 1];
		evidence->subject = &evidence->fork->at;
		callsite_init(&evidence->ctx, &evidence->forker, &evidence->fork->at,
			      evidence->fork->at.tid, evidence->fork->ev.stack,
			      evidence->fork->ev.python);
		callsite_locate(&evidence->ctx, &evidence->forker, 0, true);
	}
	if (finding->held - 1 < facts->held_count) {
		evidence->held = &facts->helds[finding->held - 1];
		set_holder(evidence);
	}
	if (finding->left - 1 < facts->left_count) {
		const struct fact_left *left = &facts->lefts[finding->left - 1];

		evidence->subject = &left->at;
		evidence->lock = (struct lock_ref){&left->at,	  NULL,		  left->ev.lock,
						   left->ev.kind, left->ev.flags, NULL};
	}
	if (finding->wait - 1 < facts->wait_count) {
		const struct fact_wait *wait = &facts->waits[finding->wait - 1];

		set_waiter(evidence, &wait->at, wait->ev.stack, wait->ev.python, wait->ev.caller);
		callsite_handles(&evidence->ctx, &evidence->waiter, wait->ev.raised);
		evidence->lock = (struct lock_ref){&wait->at,	   evidence->held,
						   wait->ev.lock,  wait->ev.kind,
						   wait->ev.flags, evidence->waiter.native};
	} else if (finding->unlock - 1 < facts->unlock_count) {
		const struct fact_unlock *unlock = &facts->unlocks[finding->unlock - 1];

		set_waiter(evidence, &unlock->at, unlock->ev.stack, unlock->ev.python,
			   unlock->ev.caller);
		evidence->lock = (struct lock_ref){&unlock->at,	     evidence->held,
						   unlock->ev.lock,  unlock->ev.kind,
						   unlock->ev.flags, evidence->waiter.native};
	}
}

/* The finding's thread is the first one of the deadlock. */
static void evidence_gather_deadlock(struct evidence *evidence)
{
	const struct facts *facts = &evidence->reader->facts;
	const struct fact_blocked *first;

	if (evidence->finding->deadlock - 1 >= facts->deadlock_count)
		return;
	evidence->deadlock = &facts->deadlocks[evidence->finding->deadlock - 1];
	first = deadlock_subject(facts, evidence->deadlock);
	if (!first)
		return;
	set_waiter(evidence, &first->at, first->ev.stack, first->ev.python, first->ev.caller);
	callsite_handles(&evidence->ctx, &evidence->waiter, first->ev.raised);
	evidence->lock = (struct lock_ref){&first->at,	    NULL,
					   first->ev.lock,  first->ev.kind,
					   first->ev.flags, evidence->waiter.native};
	if (evidence->finding->rule == RULE_self_deadlock)
		deadlock_hold(&evidence->ctx, first, &evidence->holder);
}

/* The finding's thread is the one whose acquisition closed the cycle. */
static void evidence_gather_order(struct evidence *evidence)
{
	const struct facts *facts = &evidence->reader->facts;

	if (evidence->finding->order - 1 >= facts->order_count)
		return;
	evidence->order = &facts->orders[evidence->finding->order - 1];
	set_waiter(evidence, &evidence->order->at, evidence->order->ev.stack,
		   evidence->order->ev.python, evidence->order->ev.second_caller);
}

/* The finding's thread is that of the triggering event, or of the fork. */
static void evidence_gather_cuda(struct evidence *evidence)
{
	struct cuda_event event;

	evidence->is_cuda = cuda_gather(&evidence->cuda, &evidence->ctx, evidence->finding);
	if (!evidence->is_cuda)
		return;
	event = cuda_event(&evidence->cuda);
	if (event.at)
		set_waiter(evidence, event.at, event.stack, event.python, event.caller);
}

/* The finding's thread is that of the event; for an end of a process, that process. */
static void evidence_gather_event(struct evidence *evidence)
{
	evidence->is_event = event_gather(&evidence->events, &evidence->ctx, evidence->finding);
	if (evidence->is_event && !evidence->subject)
		evidence->subject = event_main(&evidence->events)->at;
}

static void set_arg(struct evidence *evidence, enum arg arg, char *text)
{
	args_set(evidence->args, arg, text);
}

/* The owner that the lock's memory names, if the library did not track the lock. */
static char *unfollowed_holder(const struct evidence *evidence)
{
	const struct facts *facts = &evidence->reader->facts;
	uint64_t owner = evidence->finding->wait - 1 < facts->wait_count ?
				 facts->waits[evidence->finding->wait - 1].ev.owner :
				 0;

	return owner ? text_format("thread %llu", (unsigned long long)owner) :
		       text_copy("a thread");
}

/*
 * For locks taken by the interpreter the place of the acquisition is unknown, only where the holder
 * was at the fork.
 */
static char *taken_text(const struct evidence *evidence)
{
	const char *where = callsite_place(&evidence->holder);

	if (evidence->holder.taken)
		return text_format("taken at %s", evidence->holder.taken);
	if (!evidence->held || !where)
		return text_copy("taken at an unknown place");
	return text_format(evidence->held->ev.flags & MPSAN_LF_PYTHON ? "at the fork in %s" :
									"taken at %s",
			   where);
}

static void wait_args(struct evidence *evidence, const struct fact_fork *fork)
{
	const struct facts *facts = &evidence->reader->facts;
	const struct finding *finding = evidence->finding;
	const struct fact_wait *wait =
		finding->wait - 1 < facts->wait_count ? &facts->waits[finding->wait - 1] : NULL;
	const struct fact_left *left =
		finding->left - 1 < facts->left_count ? &facts->lefts[finding->left - 1] : NULL;

	set_arg(evidence, ARG_named,
		evidence->subject ? process_text(evidence->reader, evidence->subject->by) : NULL);
	set_arg(evidence, ARG_spawn, process_spawn_text(evidence->reader, fork));
	set_arg(evidence, ARG_lost, lost_signallers_lost(fork));
	set_arg(evidence, ARG_waits,
		text_copy(wait && fact_wait_ends(wait) ? "waits" : "waits forever"));
	set_arg(evidence, ARG_pool, text_format("%u", wait ? wait->pool_threads : 0));
	set_arg(evidence, ARG_module, wait ? lost_signallers_module(evidence->frames, wait) : NULL);
	set_arg(evidence, ARG_signallers,
		lost_signallers_signallers(evidence->reader, evidence->frames, fork, wait));
	set_arg(evidence, ARG_left_at,
		left ? lost_signallers_left_at(evidence->frames, left) : NULL);
}

static void evidence_args(struct evidence *evidence)
{
	const struct fact_fork *fork = evidence->fork;

	evidence->args = json_object();
	set_arg(evidence, ARG_lock,
		evidence->lock.address ?
			lock_text(evidence->reader, evidence->frames, &evidence->lock) :
			NULL);
	set_arg(evidence, ARG_holder,
		evidence->held ? callsite_actor(&evidence->holder) : unfollowed_holder(evidence));
	set_arg(evidence, ARG_probably, text_copy(held_probably(evidence->held)));
	set_arg(evidence, ARG_taken, taken_text(evidence));
	set_arg(evidence, ARG_own,
		evidence->holder.taken || callsite_place(&evidence->holder) ?
			text_format(", %s", args_text(evidence->args, ARG_taken)) :
			text_copy(""));
	set_arg(evidence, ARG_called,
		text_format("called at %s",
			    callsite_place(&evidence->holder) ?: "an unknown place"));
	set_arg(evidence, ARG_forker,
		fork && fork->ev.threads > 1 && evidence->reader->session.head->outside &&
				!callsite_is_of_main(&evidence->forker) ?
			text_copy("a thread") :
			callsite_actor(&evidence->forker));
	set_arg(evidence, ARG_fork_at, text_copy(evidence->forker.where ?: "an unknown place"));
	set_arg(evidence, ARG_thread, callsite_actor(&evidence->waiter));
	set_arg(evidence, ARG_wait_at, callsite_waits(&evidence->waiter));
	set_arg(evidence, ARG_handler,
		callsite_handler(&evidence->waiter,
				 evidence->deadlock ?
					 reader_text(evidence->reader, evidence->deadlock->at.slot,
						     evidence->deadlock->ev.handlers) :
					 NULL));
	if (evidence->order) {
		set_arg(evidence, ARG_first, order_first(&evidence->ctx, evidence->order));
		set_arg(evidence, ARG_second, order_second(&evidence->ctx, evidence->order));
		set_arg(evidence, ARG_orders, orders_text(&evidence->ctx, evidence->finding));
	}
	set_arg(evidence, ARG_how,
		text_format("%s()", how_text(fork ? fork->ev.how : MPSAN_HOW_FORK)));
	set_arg(evidence, ARG_threads,
		text_format("%llu", fork ? (unsigned long long)fork->ev.threads : 0));
	set_arg(evidence, ARG_others,
		fork ? threads_text(evidence->reader, evidence->frames, fork) : NULL);
	set_arg(evidence, ARG_feeders,
		text_format("%llu", fork ? (unsigned long long)fork->ev.feeder : 0));
	wait_args(evidence, fork);
	set_arg(evidence, ARG_child,
		process_number(evidence->reader, fork ? fork->child : FACT_NONE));
	set_arg(evidence, ARG_parent,
		process_number(evidence->reader, fork ? fork->at.by : FACT_NONE));
	set_arg(evidence, ARG_pid,
		process_number(evidence->reader,
			       evidence->subject ? evidence->subject->by : FACT_NONE));
	if (evidence->deadlock && evidence->waiter.at)
		deadlock_args(&evidence->ctx, evidence->deadlock,
			      evidence->finding->message_text->message, evidence->args);
}

static const struct callsite *callsite_of(const struct evidence *evidence, enum step_role role)
{
	const struct callsite *callsite = evidence->is_cuda ? cuda_callsite(&evidence->cuda, role) :
							      NULL;

	if (!callsite && evidence->is_event)
		callsite = event_callsite(&evidence->events, role);
	if (callsite)
		return callsite;
	switch (role) {
	case STEP_HOLDER:
		return evidence->held || evidence->holder.at ? &evidence->holder : NULL;
	case STEP_FORK:
		return evidence->fork ? &evidence->forker : NULL;
	case STEP_BLOCKED:
	case STEP_ORDER:
	case STEP_INIT:
	case STEP_EXPORT:
	case STEP_IMPORT:
	case STEP_IMPORTS:
	case STEP_FREE:
	case STEP_GONE:
	case STEP_EVENT:
	case STEP_CAUSE:
	case STEP_MAKER:
	case STEP_ENDED:
		return NULL;
	default:
		return evidence->waiter.at ? &evidence->waiter : NULL;
	}
}

static json_t *evidence_steps(const struct evidence *evidence)
{
	json_t *steps = json_array();

	for (uint32_t i = 0; i < STEPS_MAX && evidence->finding->message_text->step[i].what; i++) {
		const struct step *step = &evidence->finding->message_text->step[i];
		const struct callsite *callsite = callsite_of(evidence, step->role);

		if (step->role == STEP_BLOCKED && evidence->deadlock)
			deadlock_steps(&evidence->ctx, evidence->deadlock, steps);
		if (step->role == STEP_IMPORTS && evidence->cuda.piece)
			cuda_import_steps(&evidence->cuda, evidence->args, step->what, steps);
		if (step->role == STEP_ORDER && evidence->order)
			orders_steps(&evidence->ctx, evidence->finding, steps);
		if (!callsite)
			continue;
		json_array_append_new(steps, callsite_step(&evidence->ctx, callsite, step->role,
							   args_fill(evidence->args, step->what)));
		if (step->role == STEP_FORK && callsite == &evidence->forker)
			json_object_set_new(
				json_array_get(steps, json_array_size(steps) - 1), "child",
				json_integer(reader_pid(evidence->reader, evidence->fork->child)));
	}
	return steps;
}

static json_t *subject(const struct evidence *evidence)
{
	const char *lock = evidence->lock.address ? args_text(evidence->args, ARG_lock) : NULL;

	return subject_json(&evidence->ctx, evidence->finding, lock,
			    evidence->is_cuda ? evidence->cuda.piece : NULL);
}

/*
 * Where a holder happened to be at the fork differs between runs, so only the place of the
 * acquisition counts; for Python locks, where it is unknown, nothing.
 */
static char *fingerprint(const struct evidence *evidence)
{
	uint64_t hash = HASH_EMPTY;

	callsite_hash_text(&hash, rule_slug(evidence->finding->rule));
	if (!evidence->order)
		callsite_hash_lock(&hash, evidence->lock_key);
	if (evidence->held && !(evidence->held->ev.flags & MPSAN_LF_PYTHON))
		callsite_hash_frame(&hash, evidence->holder.frame);
	if (evidence->fork)
		callsite_hash(&hash, &evidence->forker);
	if (evidence->is_cuda)
		cuda_hash(&evidence->cuda, &hash);
	if (evidence->is_event)
		event_hash(&evidence->events, &hash);
	if (evidence->deadlock)
		deadlock_hash(&evidence->ctx, evidence->deadlock, &hash);
	else if (evidence->order)
		orders_hash(&evidence->ctx, evidence->finding, &hash);
	else if (evidence->waiter.at)
		callsite_hash(&hash, &evidence->waiter);
	return text_format("%016llx", (unsigned long long)hash);
}

/* The call site of the finding itself; without a place if its record is missing. */
static const struct callsite *evidence_main(const struct evidence *evidence)
{
	return evidence->waiter.at ? &evidence->waiter :
	       evidence->is_event  ? event_main(&evidence->events) :
				     &evidence->forker;
}

/* What ends the wait, "" if nothing does or it is not known; the caller frees it. */
static char *add_ends(const struct evidence *evidence, json_t *finding)
{
	const struct facts *facts = &evidence->reader->facts;
	bool proved = evidence->finding->wait && evidence->finding->grade == GRADE_ERROR;
	json_t *hopeless = json_object_get(evidence->args, "deadlock");
	char *how =
		evidence->deadlock ? ends_add(evidence->reader, evidence->deadlock,
					      args_text(evidence->args, ARG_handler), finding) :
		proved ? ends_add_wait(facts, &facts->waits[evidence->finding->wait - 1], finding) :
			 text_copy("");

	if (hopeless && json_object_get(finding, "ends"))
		json_object_set(finding, "hopeless", hopeless);
	return how;
}

static json_t *evidence_write(struct evidence *evidence)
{
	const struct callsite *main_callsite = evidence_main(evidence);
	const struct finding *finding = evidence->finding;
	const char *general = reentry_fix(&evidence->reader->facts, finding, &evidence->waiter,
					  &evidence->holder, args_text(evidence->args, ARG_handler),
					  deadlock_native_fix(&evidence->ctx, finding)),
		   *title = finding->title ?: rule_words(finding->rule)->title;
	AUTO_FREE char *print = fingerprint(evidence),
		       *fix = callsite_fix(&evidence->ctx, main_callsite, general), *how = NULL;
	json_t *object;

	object = json_pack(
		"{s:s, s:s, s:n, s:n, s:n, s:n, s:o, s:i, s:I, s:I, s:o, s:I, s:s, s:o, s:o, s:o}",
		"rule", rule_slug(finding->rule), "title", title, "severity", "message", "what",
		"why", "fix", args_fill(evidence->args, fix), "count", 1, "pid",
		(json_int_t)reader_pid(evidence->reader, main_callsite->at->by), "tid",
		(json_int_t)main_callsite->tid, "thread", jsontext_of(main_callsite->thread),
		"time_ns", (json_int_t)reader_real_ns(evidence->reader, main_callsite->time_ns),
		"fingerprint", print, "lock", jsontext_of(evidence->lock_key), "subject",
		subject(evidence), "evidence", evidence_steps(evidence));
	process_add_outer(evidence->reader, main_callsite->at->by, object);
	how = add_ends(evidence, object);
	args_tell(evidence->args, finding->message_text->message, how,
		  finding->grade == GRADE_ERROR ? "error" : "warning", object);
	because_tell(&evidence->ctx, finding, &evidence->events.causer, &evidence->waiter, object);
	return object;
}

static void evidence_finish(struct evidence *evidence)
{
	callsite_finish(&evidence->holder);
	callsite_finish(&evidence->forker);
	callsite_finish(&evidence->waiter);
	cuda_finish(&evidence->cuda);
	event_finish(&evidence->events);
	json_decref(evidence->args);
	free(evidence->lock_key);
}

json_t *evidence_build(const struct reader *reader, struct frames *frames,
		       const struct finding *finding)
{
	struct finding caused = because_of(&reader->facts, finding);
	struct evidence evidence = {
		.ctx = {reader, frames}, .reader = reader, .frames = frames, .finding = &caused};
	json_t *object;

	evidence_gather(&evidence);
	evidence_gather_deadlock(&evidence);
	evidence_gather_order(&evidence);
	evidence_gather_cuda(&evidence);
	evidence_gather_event(&evidence);
	if (!evidence.subject || !evidence_main(&evidence)->at) {
		evidence_finish(&evidence);
		return NULL;
	}
	evidence_args(&evidence);
	if (evidence.is_cuda)
		cuda_args(&evidence.cuda, &evidence.waiter, evidence.args);
	if (evidence.is_event)
		event_args(&evidence.events, evidence.args);
	evidence.lock_key = evidence.order	  ? orders_key(&evidence.ctx, finding) :
			    evidence.lock.address ? lock_key(reader, frames, &evidence.lock) :
						    text_copy("");
	object = evidence_write(&evidence);
	evidence_finish(&evidence);
	return object;
}

uint64_t evidence_lock(const struct facts *facts, const struct finding *finding)
{
	if (finding->init)
		return EVIDENCE_DRIVER;
	if (finding->wait - 1 < facts->wait_count)
		return facts->waits[finding->wait - 1].ev.lock;
	if (finding->unlock - 1 < facts->unlock_count)
		return facts->unlocks[finding->unlock - 1].ev.lock;
	if (finding->left - 1 < facts->left_count)
		return facts->lefts[finding->left - 1].ev.lock;
	return finding->held - 1 < facts->held_count ? facts->helds[finding->held - 1].ev.lock : 0;
}
