/* See story.h. */
#include "story.h"

#include "../rules/knot.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "names.h"
#include "vanished.h"
#include "../rules/catalog.h"
#include "scene.h"
#include "story_act.h"
#include "story_cuda.h"
#include "story_knot.h"
#include "story_order.h"
#include "story_subject.h"
#include "words.h"

struct story {
	struct teller teller;
	const struct reader *reader;
	struct frames *frames;
	const struct finding *finding;
	const struct fact_held *held; /* these three may be NULL */
	const struct fact_fork *fork;
	const struct fact_knot *knot;
	const struct fact_order *order;
	const struct fact_place *subject; /* who suffers: the wait or unlock, else the fork */
	struct scene holder, forker, sufferer;
	struct cuda_cast cast;
	bool is_cuda;
	struct act_cast acts;
	bool is_act;
	struct lock_ref lock;
	char *lock_key;
	json_t *words; /* placeholder: text */
};

static uint32_t pid_of(const struct story *story, uint32_t slot)
{
	return slot < story->reader->session.slots ? story->reader->session.table[slot].pid : 0;
}

static void set_holder(struct story *story)
{
	const struct ev_held *ev = &story->held->ev;
	const char *name = reader_text(story->reader, story->held->at.slot, ev->thread_name);

	scene_init(&story->teller, &story->holder, &story->held->at, ev->holder, ev->stack,
		   ev->python);
	scene_locate(&story->teller, &story->holder, ev->caller,
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
	scene_init(&story->teller, &story->sufferer, at, at->tid, stack, python);
	scene_locate(&story->teller, &story->sufferer, caller, true);
}

static void story_gather(struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	const struct finding *finding = story->finding;

	if (finding->fork < facts->fork_count) {
		story->fork = &facts->forks[finding->fork];
		story->subject = &story->fork->at;
		scene_init(&story->teller, &story->forker, &story->fork->at, story->fork->at.tid,
			   story->fork->ev.stack, story->fork->ev.python);
		scene_locate(&story->teller, &story->forker, 0, true);
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

/* The first thread of a knot stands for it. */
static void story_gather_knot(struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	const struct fact_blocked *first;

	if (story->finding->knot >= facts->knot_count)
		return;
	story->knot = &facts->knots[story->finding->knot];
	if (story->knot->begin >= story->knot->end)
		return;
	first = knot_sufferer(facts, story->knot);
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
	struct cuda_act act;

	story->is_cuda = cuda_gather(&story->cast, &story->teller, story->finding);
	if (!story->is_cuda)
		return;
	act = cuda_act(&story->cast);
	if (act.at)
		set_sufferer(story, act.at, act.stack, act.python, act.caller);
}

/* Who acted stands for it; of a mere end, who ended. */
static void story_gather_act(struct story *story)
{
	story->is_act = act_gather(&story->acts, &story->teller, story->finding);
	if (story->is_act && !story->subject)
		story->subject = act_main(&story->acts)->at;
}

static void word(struct story *story, const char *name, char *text)
{
	words_set(story->words, name, text);
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

static void knot_words(struct story *story, const struct fact_blocked *first)
{
	const struct teller *teller = &story->teller;
	const char *detail =
		reader_text(story->reader, story->knot->at.slot, story->knot->ev.detail);
	char *taken = knot_taken(teller, first);

	word(story, "knot", knot_text(teller, story->knot));
	word(story, "awaited", knot_awaited(teller, first));
	word(story, "owner", knot_owner(teller, first));
	word(story, "dead", knot_dead(teller, story->knot));
	word(story, "dead_end", knot_dead_end(teller, story->knot));
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

	word(story, "lost", vanished_lost(fork));
	word(story, "pool", text_format("%u", wait ? wait->pool_threads : 0));
	word(story, "module", wait ? vanished_module(story->frames, wait) : NULL);
	word(story, "signallers", wait ? vanished_signallers(story->frames, wait) : NULL);
	word(story, "left_at", left ? vanished_left_at(story->frames, left) : NULL);
}

static void story_words(struct story *story)
{
	const struct fact_fork *fork = story->fork;

	story->words = json_object();
	word(story, "lock",
	     story->lock.address ? lock_text(story->reader, story->frames, &story->lock) : NULL);
	word(story, "holder", story->held ? scene_actor(&story->holder) : unfollowed_holder(story));
	word(story, "taken", taken_text(story));
	word(story, "called",
	     text_format("called at %s", story->holder.where ?: "an unknown place"));
	word(story, "forker", scene_actor(&story->forker));
	word(story, "fork_at",
	     text_copy(story->forker.where ? story->forker.where : "an unknown place"));
	word(story, "thread", scene_actor(&story->sufferer));
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
	word(story, "child", text_format("%u", fork ? pid_of(story, fork->child) : 0));
	word(story, "parent", text_format("%u", fork ? pid_of(story, fork->at.by) : 0));
	word(story, "pid",
	     text_format("%u", story->subject ? pid_of(story, story->subject->by) : 0));
	if (story->knot && story->sufferer.at) {
		const struct fact_blocked *first =
			knot_sufferer(&story->reader->facts, story->knot);

		knot_words(story, first);
		word(story, "since",
		     text_format("%llu",
				 (unsigned long long)((first->at.time_ns - first->ev.since) /
						      1000000000ull)));
	}
}

static const struct scene *scene_of(const struct story *story, enum step_role role)
{
	const struct scene *scene = story->is_cuda ? cuda_scene(&story->cast, role) : NULL;

	if (!scene && story->is_act)
		scene = act_scene(&story->acts, role);
	if (scene)
		return scene;
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
	case STEP_ACT:
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

	for (uint32_t i = 0; i < STEPS_MAX && story->finding->tale->step[i].what; i++) {
		const struct step *step = &story->finding->tale->step[i];
		const struct scene *scene = scene_of(story, step->role);

		if (step->role == STEP_BLOCKED && story->knot)
			knot_steps(&story->teller, story->knot, steps);
		if (step->role == STEP_IMPORTS && story->cast.piece)
			cuda_import_steps(&story->cast, story->words, step->what, steps);
		if (step->role == STEP_ORDER && story->order)
			orders_steps(&story->teller, story->finding, steps);
		if (!scene)
			continue;
		json_array_append_new(steps, scene_step(&story->teller, scene, step->role,
							words_fill(story->words, step->what)));
		if (step->role == STEP_FORK && scene == &story->forker)
			json_object_set_new(json_array_get(steps, json_array_size(steps) - 1),
					    "child",
					    json_integer(pid_of(story, story->fork->child)));
	}
	return steps;
}

/* Where in a larger object a lock lies changes with the object: "_PyRuntime+0x2f8" counts as _PyRuntime. */
static void hash_lock(uint64_t *hash, const char *key)
{
	const char *offset = strstr(key, "+0x");
	char *object = text_format("%.*s", (int)(offset ? offset - key : (long)strlen(key)), key);

	scene_hash_text(hash, object);
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
	uint64_t hash = SCENE_HASH;

	scene_hash_text(&hash, rule_slug(story->finding->rule));
	if (!story->order)
		hash_lock(&hash, story->lock_key);
	if (story->held && !(story->held->ev.flags & MPSAN_LF_PYTHON))
		scene_hash_frame(&hash, story->holder.frame);
	if (story->fork)
		scene_hash(&hash, &story->forker);
	if (story->is_cuda)
		cuda_hash(&story->cast, &hash);
	if (story->is_act)
		act_hash(&story->acts, &hash);
	if (story->knot)
		knot_hash(&story->teller, story->knot, &hash);
	else if (story->order)
		orders_hash(&story->teller, story->finding, &hash);
	else if (story->sufferer.at)
		scene_hash(&hash, &story->sufferer);
	return text_format("%016llx", (unsigned long long)hash);
}

/* Whose story it is; without a place when the record that says so was lost. */
static const struct scene *story_main(const struct story *story)
{
	return story->sufferer.at ? &story->sufferer :
	       story->is_act	  ? act_main(&story->acts) :
				    &story->forker;
}

static json_t *story_write(struct story *story)
{
	const struct scene *main_scene = story_main(story);
	const char *own = story->finding->fix, *fix = own ? own : rule_fix(story->finding->rule);
	char *print = fingerprint(story);
	json_t *object;

	object = json_pack("{s:s, s:n, s:o, s:o, s:i, s:I, s:I, s:o, s:I, s:s, s:o, s:o, s:o}",
			   "rule", rule_slug(story->finding->rule), "severity", "message",
			   words_fill(story->words, story->finding->tale->message), "fix",
			   words_fill(story->words, fix), "count", 1, "pid",
			   (json_int_t)pid_of(story, main_scene->at->by), "tid",
			   (json_int_t)main_scene->tid, "thread", jsontext_of(main_scene->thread),
			   "time_ns",
			   (json_int_t)reader_real_ns(story->reader, main_scene->time_ns),
			   "fingerprint", print, "lock", jsontext_of(story->lock_key), "subject",
			   subject(story), "evidence", evidence(story));
	free(print);
	return object;
}

static void story_finish(struct story *story)
{
	scene_finish(&story->holder);
	scene_finish(&story->forker);
	scene_finish(&story->sufferer);
	cuda_finish(&story->cast);
	act_finish(&story->acts);
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
	story_gather_knot(&story);
	story_gather_order(&story);
	story_gather_cuda(&story);
	story_gather_act(&story);
	if (!story.subject || !story_main(&story)->at) {
		story_finish(&story);
		return NULL;
	}
	story_words(&story);
	if (story.is_cuda)
		cuda_words(&story.cast, &story.sufferer, story.words);
	if (story.is_act)
		act_words(&story.acts, story.words);
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
