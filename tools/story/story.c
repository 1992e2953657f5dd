/* See story.h. */
#include "story.h"

#include "../rules/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "text_locks.h"
#include "lost_signallers.h"
#include "../rules/catalog.h"
#include "callsite.h"
#include "story_act.h"
#include "story_cuda.h"
#include "story_deadlock.h"
#include "story_order.h"
#include "story_subject.h"
#include "args.h"

struct story {
	struct teller teller;
	const struct reader *reader;
	struct frames *frames;
	const struct finding *finding;
	const struct fact_held *held; /* these three may be NULL */
	const struct fact_fork *fork;
	const struct fact_deadlock *deadlock;
	const struct fact_order *order;
	const struct fact_place *subject; /* who suffers: the wait or unlock, else the fork */
	struct callsite holder, forker, sufferer;
	struct cuda_cast cast;
	bool is_cuda;
	struct event_cast events;
	bool is_event;
	struct lock_ref lock;
	char *lock_key;
	json_t *words; /* placeholder: text */
};

static uint32_t story_pid_of(const struct story *story, uint32_t slot)
{
	return slot < story->reader->session.slots ? story->reader->session.table[slot].pid : 0;
}

static void set_holder(struct story *story)
{
	const struct ev_held *ev = &story->held->ev;
	const char *name = reader_text(story->reader, story->held->at.slot, ev->thread_name);

	callsite_init(&story->teller, &story->holder, &story->held->at, ev->holder, ev->stack,
		      ev->python);
	callsite_locate(&story->teller, &story->holder, ev->caller,
			ev->flags & MPSAN_LF_PYTHON || ev->kind > MPSAN_LOCK_CUSTOM);
	if (name) {
		free(story->holder.thread);
		story->holder.thread = text_copy(name);
	}
	story->lock = (struct lock_ref){&story->held->at, story->held, ev->lock,
					ev->kind,	  ev->flags,   story->holder.native};
}

static void set_sufferer(struct story *story, const struct fact_place *at, uint64_t stack,
			 uint64_t python, uint64_t caller)
{
	story->subject = at;
	callsite_init(&story->teller, &story->sufferer, at, at->tid, stack, python);
	callsite_locate(&story->teller, &story->sufferer, caller, true);
}

static void story_gather(struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	const struct finding *finding = story->finding;

	if (finding->fork < facts->fork_count) {
		story->fork = &facts->forks[finding->fork];
		story->subject = &story->fork->at;
		callsite_init(&story->teller, &story->forker, &story->fork->at, story->fork->at.tid,
			      story->fork->ev.stack, story->fork->ev.python);
		callsite_locate(&story->teller, &story->forker, 0, true);
	}
	if (finding->held < facts->held_count) {
		story->held = &facts->helds[finding->held];
		set_holder(story);
	}
	if (finding->left < facts->left_count) {
		const struct fact_left *left = &facts->lefts[finding->left];

		story->subject = &left->at;
		story->lock = (struct lock_ref){&left->at,     NULL,	       left->ev.lock,
						left->ev.kind, left->ev.flags, NULL};
	}
	if (finding->wait < facts->wait_count) {
		const struct fact_wait *wait = &facts->waits[finding->wait];

		set_sufferer(story, &wait->at, wait->ev.stack, wait->ev.python, wait->ev.caller);
		story->lock = (struct lock_ref){&wait->at,	story->held,
						wait->ev.lock,	wait->ev.kind,
						wait->ev.flags, story->sufferer.native};
	} else if (finding->unlock < facts->unlock_count) {
		const struct fact_unlock *unlock = &facts->unlocks[finding->unlock];

		set_sufferer(story, &unlock->at, unlock->ev.stack, unlock->ev.python,
			     unlock->ev.caller);
		story->lock = (struct lock_ref){&unlock->at,	  story->held,
						unlock->ev.lock,  unlock->ev.kind,
						unlock->ev.flags, story->sufferer.native};
	}
}

/* The first thread of a deadlock stands for it. */
static void story_gather_deadlock(struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	const struct fact_blocked *first;

	if (story->finding->deadlock >= facts->deadlock_count)
		return;
	story->deadlock = &facts->deadlocks[story->finding->deadlock];
	if (story->deadlock->begin >= story->deadlock->end)
		return;
	first = deadlock_sufferer(facts, story->deadlock);
	set_sufferer(story, &first->at, first->ev.stack, first->ev.python, first->ev.caller);
	story->lock = (struct lock_ref){&first->at,	 NULL,
					first->ev.lock,	 first->ev.kind,
					first->ev.flags, story->sufferer.native};
}

/* The order that closed the circle stands for it. */
static void story_gather_order(struct story *story)
{
	const struct facts *facts = &story->reader->facts;

	if (story->finding->order >= facts->order_count)
		return;
	story->order = &facts->orders[story->finding->order];
	set_sufferer(story, &story->order->at, story->order->ev.stack, story->order->ev.python,
		     story->order->ev.second_caller);
}

/* The act of the moment stands for it, where there is one: of a fork, the fork. */
static void story_gather_cuda(struct story *story)
{
	struct cuda_event event;

	story->is_cuda = cuda_gather(&story->cast, &story->teller, story->finding);
	if (!story->is_cuda)
		return;
	event = cuda_event(&story->cast);
	if (event.at)
		set_sufferer(story, event.at, event.stack, event.python, event.caller);
}

/* Who acted stands for it; of a mere end, who ended. */
static void story_gather_event(struct story *story)
{
	story->is_event = event_gather(&story->events, &story->teller, story->finding);
	if (story->is_event && !story->subject)
		story->subject = event_main(&story->events)->at;
}

static void word(struct story *story, const char *name, char *text)
{
	args_set(story->words, name, text);
}

/* The owner that memory named, when the library had not followed the lock. */
static char *unfollowed_holder(const struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	uint64_t owner = story->finding->wait < facts->wait_count ?
				 facts->waits[story->finding->wait].ev.owner :
				 0;

	return owner ? text_format("thread %llu", (unsigned long long)owner) :
		       text_copy("a thread");
}

/* Where the interpreter took a lock is not known, only where the holder stood when it was seen. */
static char *taken_text(const struct story *story)
{
	const char *where = story->holder.where;

	if (!story->held || !where)
		return text_copy("taken at an unknown place");
	return text_format(story->held->ev.flags & MPSAN_LF_PYTHON ? "then in %s" : "taken at %s",
			   where);
}

static void deadlock_words(struct story *story, const struct fact_blocked *first)
{
	const struct teller *teller = &story->teller;
	const char *detail =
		reader_text(story->reader, story->deadlock->at.slot, story->deadlock->ev.detail);
	char *taken = deadlock_taken(teller, first);

	word(story, "knot", deadlock_text(teller, story->deadlock));
	word(story, "awaited", deadlock_awaited(teller, first));
	word(story, "owner", deadlock_owner(teller, first));
	word(story, "dead", deadlock_dead(teller, story->deadlock));
	word(story, "dead_end", deadlock_dead_end(teller, story->deadlock));
	word(story, "detail", text_copy(detail ? detail : ""));
	word(story, "taken", taken ? text_format(" at %s", taken) : text_copy(""));
	free(taken);
}

static void wait_words(struct story *story, const struct fact_fork *fork)
{
	const struct facts *facts = &story->reader->facts;
	const struct finding *finding = story->finding;
	const struct fact_wait *wait =
		finding->wait < facts->wait_count ? &facts->waits[finding->wait] : NULL;
	const struct fact_left *left =
		finding->left < facts->left_count ? &facts->lefts[finding->left] : NULL;

	word(story, "lost", lost_signallers_lost(fork));
	word(story, "pool", text_format("%u", wait ? wait->pool_threads : 0));
	word(story, "module", wait ? lost_signallers_module(story->frames, wait) : NULL);
	word(story, "signallers", wait ? lost_signallers_signallers(story->frames, wait) : NULL);
	word(story, "left_at", left ? lost_signallers_left_at(story->frames, left) : NULL);
}

static void story_words(struct story *story)
{
	const struct fact_fork *fork = story->fork;

	story->words = json_object();
	word(story, "lock",
	     story->lock.address ? lock_text(story->reader, story->frames, &story->lock) : NULL);
	word(story, "holder",
	     story->held ? callsite_actor(&story->holder) : unfollowed_holder(story));
	word(story, "taken", taken_text(story));
	word(story, "called",
	     text_format("called at %s", story->holder.where ?: "an unknown place"));
	word(story, "forker", callsite_actor(&story->forker));
	word(story, "fork_at",
	     text_copy(story->forker.where ? story->forker.where : "an unknown place"));
	word(story, "thread", callsite_actor(&story->sufferer));
	word(story, "wait_at",
	     text_copy(story->sufferer.where ? story->sufferer.where : "an unknown place"));
	if (story->order) {
		word(story, "first", order_first(&story->teller, story->order));
		word(story, "second", order_second(&story->teller, story->order));
		word(story, "orders", orders_text(&story->teller, story->finding));
	}
	word(story, "how", text_format("%s()", how_text(fork ? fork->ev.how : MPSAN_HOW_FORK)));
	word(story, "threads",
	     text_format("%llu", fork ? (unsigned long long)fork->ev.threads : 0));
	word(story, "others", fork ? threads_text(story->reader, story->frames, fork) : NULL);
	word(story, "feeders", text_format("%llu", fork ? (unsigned long long)fork->ev.feeder : 0));
	wait_words(story, fork);
	word(story, "child", text_format("%u", fork ? story_pid_of(story, fork->child) : 0));
	word(story, "parent", text_format("%u", fork ? story_pid_of(story, fork->at.by) : 0));
	word(story, "pid",
	     text_format("%u", story->subject ? story_pid_of(story, story->subject->by) : 0));
	if (story->deadlock && story->sufferer.at) {
		const struct fact_blocked *first =
			deadlock_sufferer(&story->reader->facts, story->deadlock);

		deadlock_words(story, first);
		word(story, "since",
		     text_format("%llu",
				 (unsigned long long)((first->at.time_ns - first->ev.since) /
						      1000000000ull)));
	}
}

static const struct callsite *callsite_of(const struct story *story, enum step_role role)
{
	const struct callsite *callsite = story->is_cuda ? cuda_callsite(&story->cast, role) : NULL;

	if (!callsite && story->is_event)
		callsite = event_callsite(&story->events, role);
	if (callsite)
		return callsite;
	switch (role) {
	case STEP_HOLDER:
		return story->held ? &story->holder : NULL;
	case STEP_FORK:
		return story->fork ? &story->forker : NULL;
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
		return story->sufferer.at ? &story->sufferer : NULL;
	}
}

static json_t *evidence(const struct story *story)
{
	json_t *steps = json_array();

	for (uint32_t i = 0; i < STEPS_MAX && story->finding->message_text->step[i].what; i++) {
		const struct step *step = &story->finding->message_text->step[i];
		const struct callsite *callsite = callsite_of(story, step->role);

		if (step->role == STEP_BLOCKED && story->deadlock)
			deadlock_steps(&story->teller, story->deadlock, steps);
		if (step->role == STEP_IMPORTS && story->cast.piece)
			cuda_import_steps(&story->cast, story->words, step->what, steps);
		if (step->role == STEP_ORDER && story->order)
			orders_steps(&story->teller, story->finding, steps);
		if (!callsite)
			continue;
		json_array_append_new(steps, callsite_step(&story->teller, callsite, step->role,
							   args_fill(story->words, step->what)));
		if (step->role == STEP_FORK && callsite == &story->forker)
			json_object_set_new(json_array_get(steps, json_array_size(steps) - 1),
					    "child",
					    json_integer(story_pid_of(story, story->fork->child)));
	}
	return steps;
}

/* Where in a larger object a lock lies changes with the object: "_PyRuntime+0x2f8" counts as _PyRuntime. */
static void hash_lock(uint64_t *hash, const char *key)
{
	const char *offset = strstr(key, "+0x");
	char *object = text_format("%.*s", (int)(offset ? offset - key : (long)strlen(key)), key);

	callsite_hash_text(hash, object);
	free(object);
}

static json_t *subject(const struct story *story)
{
	const char *lock = story->lock.address ?
				   json_string_value(json_object_get(story->words, "lock")) :
				   NULL;

	return subject_json(&story->teller, story->finding, lock,
			    story->is_cuda ? story->cast.piece : NULL);
}

/*
 * A holder is caught wherever it happens to be, so only the place where it took the lock counts,
 * and of a Python lock, where that place is not known, nothing.
 */
static char *fingerprint(const struct story *story)
{
	uint64_t hash = CALLSITE_HASH;

	callsite_hash_text(&hash, rule_slug(story->finding->rule));
	if (!story->order)
		hash_lock(&hash, story->lock_key);
	if (story->held && !(story->held->ev.flags & MPSAN_LF_PYTHON))
		callsite_hash_frame(&hash, story->holder.frame);
	if (story->fork)
		callsite_hash(&hash, &story->forker);
	if (story->is_cuda)
		cuda_hash(&story->cast, &hash);
	if (story->is_event)
		event_hash(&story->events, &hash);
	if (story->deadlock)
		deadlock_hash(&story->teller, story->deadlock, &hash);
	else if (story->order)
		orders_hash(&story->teller, story->finding, &hash);
	else if (story->sufferer.at)
		callsite_hash(&hash, &story->sufferer);
	return text_format("%016llx", (unsigned long long)hash);
}

/* Whose story it is; without a place when the record that says so was lost. */
static const struct callsite *story_main(const struct story *story)
{
	return story->sufferer.at ? &story->sufferer :
	       story->is_event	  ? event_main(&story->events) :
				    &story->forker;
}

static json_t *story_write(struct story *story)
{
	const struct callsite *main_callsite = story_main(story);
	const char *own = story->finding->fix, *fix = own ? own : rule_fix(story->finding->rule);
	char *print = fingerprint(story);
	json_t *object;

	object = json_pack("{s:s, s:n, s:o, s:o, s:i, s:I, s:I, s:o, s:I, s:s, s:o, s:o, s:o}",
			   "rule", rule_slug(story->finding->rule), "severity", "message",
			   args_fill(story->words, story->finding->message_text->message), "fix",
			   args_fill(story->words, fix), "count", 1, "pid",
			   (json_int_t)story_pid_of(story, main_callsite->at->by), "tid",
			   (json_int_t)main_callsite->tid, "thread",
			   jsontext_of(main_callsite->thread), "time_ns",
			   (json_int_t)reader_real_ns(story->reader, main_callsite->time_ns),
			   "fingerprint", print, "lock", jsontext_of(story->lock_key), "subject",
			   subject(story), "evidence", evidence(story));
	free(print);
	return object;
}

static void story_finish(struct story *story)
{
	callsite_finish(&story->holder);
	callsite_finish(&story->forker);
	callsite_finish(&story->sufferer);
	cuda_finish(&story->cast);
	event_finish(&story->events);
	json_decref(story->words);
	free(story->lock_key);
}

json_t *story_tell(const struct reader *reader, struct frames *frames,
		   const struct finding *finding)
{
	struct story story = {
		.teller = {reader, frames}, .reader = reader, .frames = frames, .finding = finding};
	json_t *object;

	story_gather(&story);
	story_gather_deadlock(&story);
	story_gather_order(&story);
	story_gather_cuda(&story);
	story_gather_event(&story);
	if (!story.subject || !story_main(&story)->at) {
		story_finish(&story);
		return NULL;
	}
	story_words(&story);
	if (story.is_cuda)
		cuda_words(&story.cast, &story.sufferer, story.words);
	if (story.is_event)
		event_words(&story.events, story.words);
	story.lock_key = story.order	    ? orders_key(&story.teller, finding) :
			 story.lock.address ? lock_key(reader, frames, &story.lock) :
					      text_copy("");
	object = story_write(&story);
	story_finish(&story);
	return object;
}

uint64_t story_lock(const struct facts *facts, const struct finding *finding)
{
	if (finding->init)
		return STORY_DRIVER;
	if (finding->wait < facts->wait_count)
		return facts->waits[finding->wait].ev.lock;
	if (finding->unlock < facts->unlock_count)
		return facts->unlocks[finding->unlock].ev.lock;
	if (finding->left < facts->left_count)
		return facts->lefts[finding->left].ev.lock;
	return finding->held < facts->held_count ? facts->helds[finding->held].ev.lock : 0;
}
