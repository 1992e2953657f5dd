/* See story.h. */
#include "story.h"

#include <stdlib.h>
#include <string.h>

#include "jsontext.h"
#include "names.h"
#include "grades.h"

#define KEY_FRAMES_MAX 24u

/* One step: who, with which stack. */
struct scene {
	const struct fact_place *at;
	uint32_t tid;
	uint64_t time_ns;
	char *thread;
	json_t *native;
	json_t *python;
	char *where; /* "function (file:line)" */
	json_t *frame; /* what `where` says */
};

struct story {
	const struct reader *reader;
	struct frames *frames;
	const struct finding *finding;
	const struct fact_held *held; /* these three may be NULL */
	const struct fact_fork *fork;
	const struct fact_place *subject; /* who suffers: the wait or unlock, else the fork */
	struct scene holder, forker, sufferer;
	struct lock_ref lock;
	char *lock_key;
	json_t *words; /* placeholder: text */
};

static uint32_t pid_of(const struct story *story, uint32_t slot)
{
	return slot < story->reader->session.slots ? story->reader->session.table[slot].pid : 0;
}

/*
 * Python speaks first, then the caller of the lock function, then the first frame that is the
 * program's own.
 */
static void scene_locate(struct story *story, struct scene *scene, uint64_t caller,
			 bool python_first)
{
	json_t *frame = python_first ? json_incref(frames_first_script(scene->python)) : NULL;

	if (!frame)
		frame = frame_of_caller(story->frames, scene->at, caller);
	if (!frame)
		frame = json_incref(frames_first_script(scene->python));
	if (!frame)
		frame = json_incref(frames_first_own(scene->native));
	if (!frame)
		frame = json_incref(json_array_get(scene->native, 0));
	scene->frame = frame;
	scene->where = frame_text(frame);
}

static void scene_init(struct story *story, struct scene *scene, const struct fact_place *at,
		       uint32_t tid, uint64_t stack, uint64_t python)
{
	scene->at = at;
	scene->tid = tid;
	scene->time_ns = at->time_ns;
	scene->native = frames_native(story->frames, at, stack);
	scene->python = frames_python(story->frames, at, python);
	scene->thread = thread_text(story->reader, story->frames, at->by, tid);
}

static void scene_finish(struct scene *scene)
{
	json_decref(scene->native);
	json_decref(scene->python);
	json_decref(scene->frame);
	free(scene->thread);
	free(scene->where);
}

static void set_holder(struct story *story)
{
	const struct ev_held *ev = &story->held->ev;
	const char *name = reader_text(story->reader, story->held->at.slot, ev->thread_name);

	scene_init(story, &story->holder, &story->held->at, ev->holder, ev->stack, ev->python);
	scene_locate(story, &story->holder, ev->caller, ev->flags & MPSAN_LF_PYTHON);
	if (!json_array_size(story->holder.native) && ev->caller)
		json_array_append_new(story->holder.native,
				      frame_of_caller(story->frames, &story->held->at, ev->caller));
	if (name) {
		free(story->holder.thread);
		story->holder.thread = text_copy(name);
	}
	story->lock = (struct lock_ref){&story->held->at, story->held, ev->lock,
					ev->kind,	  ev->flags,   story->holder.native};
}

static void set_sufferer(struct story *story, const struct fact_place *at, uint64_t stack,
			 uint64_t python, uint64_t caller, uint64_t flags)
{
	story->subject = at;
	scene_init(story, &story->sufferer, at, at->tid, stack, python);
	scene_locate(story, &story->sufferer, caller, flags & MPSAN_LF_PYTHON);
	if (!json_array_size(story->sufferer.native) && caller)
		json_array_append_new(story->sufferer.native,
				      frame_of_caller(story->frames, at, caller));
}

static void story_gather(struct story *story)
{
	const struct facts *facts = &story->reader->facts;
	const struct finding *finding = story->finding;

	if (finding->fork < facts->fork_count) {
		story->fork = &facts->forks[finding->fork];
		story->subject = &story->fork->at;
		scene_init(story, &story->forker, &story->fork->at, story->fork->at.tid,
			   story->fork->ev.stack, story->fork->ev.python);
		scene_locate(story, &story->forker, 0, true);
	}
	if (finding->held < facts->held_count) {
		story->held = &facts->helds[finding->held];
		set_holder(story);
	}
	if (finding->wait < facts->wait_count) {
		const struct fact_wait *wait = &facts->waits[finding->wait];

		set_sufferer(story, &wait->at, wait->ev.stack, wait->ev.python, wait->ev.caller,
			     wait->ev.flags);
		story->lock = (struct lock_ref){&wait->at,	story->held,
						wait->ev.lock,	wait->ev.kind,
						wait->ev.flags, story->sufferer.native};
	} else if (finding->unlock < facts->unlock_count) {
		const struct fact_unlock *unlock = &facts->unlocks[finding->unlock];

		set_sufferer(story, &unlock->at, unlock->ev.stack, unlock->ev.python,
			     unlock->ev.caller, unlock->ev.flags);
		story->lock = (struct lock_ref){&unlock->at,	  story->held,
						unlock->ev.lock,  unlock->ev.kind,
						unlock->ev.flags, story->sufferer.native};
	}
}

static void word(struct story *story, const char *name, char *text)
{
	json_object_set_new(story->words, name, jsontext_of(text ? text : "?"));
	free(text);
}

static char *actor(const char *thread, uint32_t tid)
{
	if (!thread)
		return NULL;
	if (!strcmp(thread, "main thread"))
		return text_format("the main thread");
	if (!strncmp(thread, "TID ", 4))
		return text_format("thread %u", tid);
	return text_format("thread \"%s\" (TID %u)", thread, tid);
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

static void story_words(struct story *story)
{
	const struct fact_fork *fork = story->fork;

	story->words = json_object();
	word(story, "lock",
	     story->lock.address ? lock_text(story->reader, story->frames, &story->lock) : NULL);
	word(story, "holder",
	     story->held ? actor(story->holder.thread, story->holder.tid) :
			   unfollowed_holder(story));
	word(story, "taken", taken_text(story));
	word(story, "forker", actor(story->forker.thread, story->forker.tid));
	word(story, "fork_at",
	     text_copy(story->forker.where ? story->forker.where : "an unknown place"));
	word(story, "thread", actor(story->sufferer.thread, story->sufferer.tid));
	word(story, "wait_at",
	     text_copy(story->sufferer.where ? story->sufferer.where : "an unknown place"));
	word(story, "how", text_format("%s()", how_text(fork ? fork->ev.how : MPSAN_HOW_FORK)));
	word(story, "threads",
	     text_format("%llu", fork ? (unsigned long long)fork->ev.threads : 0));
	word(story, "others",
	     fork ? threads_text(story->reader, story->frames, fork) : NULL);
	word(story, "feeders", text_format("%llu", fork ? (unsigned long long)fork->ev.feeder : 0));
	word(story, "child", text_format("%u", fork ? pid_of(story, fork->child) : 0));
	word(story, "parent", text_format("%u", fork ? pid_of(story, fork->at.by) : 0));
	word(story, "pid",
	     text_format("%u", story->subject ? pid_of(story, story->subject->by) : 0));
}

/* Puts the words in the place of their names in braces. */
static json_t *fill(const json_t *words, const char *text)
{
	char *out = text_copy(""), *longer;
	json_t *string;

	while (*text) {
		const char *open = strchr(text, '{'), *shut = open ? strchr(open, '}') : NULL;
		size_t plain = shut ? (size_t)(open - text) : strlen(text);
		char name[32] = "";

		if (shut && (size_t)(shut - open) < sizeof(name))
			memcpy(name, open + 1, shut - open - 1);
		longer = text_format("%s%.*s%s", out, (int)plain, text,
				     shut ? json_string_value(json_object_get(words, name)) ?: "?" :
					    "");
		free(out);
		out = longer;
		text = shut ? shut + 1 : text + plain;
	}
	string = jsontext_of(out);
	free(out);
	return string;
}

static const struct scene *scene_of(const struct story *story, enum step_role role)
{
	switch (role) {
	case STEP_HOLDER:
		return story->held ? &story->holder : NULL;
	case STEP_FORK:
		return story->fork ? &story->forker : NULL;
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

		if (!scene)
			continue;
		json_array_append_new(
			steps, json_pack("{s:o, s:I, s:I, s:o, s:I, s:O, s:O}", "what",
					 fill(story->words, step->what), "pid",
					 (json_int_t)pid_of(story, scene->at->by), "tid",
					 (json_int_t)scene->tid, "thread",
					 jsontext_of(scene->thread), "time_ns",
					 (json_int_t)reader_real_ns(story->reader, scene->time_ns),
					 "stack", scene->native, "python", scene->python));
	}
	return steps;
}

static void hash_text(uint64_t *hash, const char *text)
{
	for (; text && *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 0x100000001b3ull;
	*hash = (*hash ^ 0xff) * 0x100000001b3ull;
}

static void hash_frame(uint64_t *hash, const json_t *frame)
{
	char *key = frame ? frame_key(frame) : NULL;

	hash_text(hash, key);
	free(key);
}

/*
 * Python frames when there are any: the native ones below them are the interpreter's and change
 * with its build.
 */
static void hash_scene(uint64_t *hash, const struct scene *scene)
{
	json_t *list = json_array_size(scene->python) ? scene->python : scene->native, *frame;
	size_t i;

	hash_frame(hash, scene->frame);
	json_array_foreach(list, i, frame)
	{
		if (i < KEY_FRAMES_MAX && json_string_value(json_object_get(frame, "function")))
			hash_frame(hash, frame);
	}
}

/*
 * A holder is caught wherever it happens to be, so only the place where it took the lock counts,
 * and of a Python lock, where that place is not known, nothing.
 */
static char *fingerprint(const struct story *story)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	hash_text(&hash, rule_slug(story->finding->rule));
	hash_text(&hash, story->lock_key);
	if (story->held && !(story->held->ev.flags & MPSAN_LF_PYTHON))
		hash_frame(&hash, story->holder.frame);
	if (story->fork)
		hash_scene(&hash, &story->forker);
	if (story->sufferer.at)
		hash_scene(&hash, &story->sufferer);
	return text_format("%016llx", (unsigned long long)hash);
}

static json_t *story_write(struct story *story)
{
	const struct scene *main_scene = story->sufferer.at ? &story->sufferer : &story->forker;
	const char *fix = rule_fix(story->finding->rule);
	char *print = fingerprint(story);
	json_t *object;

	object = json_pack(
		"{s:s, s:n, s:o, s:o, s:i, s:I, s:I, s:o, s:I, s:s, s:o, s:o}", "rule",
		rule_slug(story->finding->rule), "severity", "message",
		fill(story->words, story->finding->tale->message), "fix", fill(story->words, fix),
		"count", 1, "pid", (json_int_t)pid_of(story, main_scene->at->by), "tid",
		(json_int_t)main_scene->tid, "thread", jsontext_of(main_scene->thread), "time_ns",
		(json_int_t)reader_real_ns(story->reader, main_scene->time_ns), "fingerprint",
		print, "lock", jsontext_of(story->lock_key), "evidence", evidence(story));
	free(print);
	return object;
}

json_t *story_tell(const struct reader *reader, struct frames *frames,
		   const struct finding *finding)
{
	struct story story = {.reader = reader, .frames = frames, .finding = finding};
	json_t *object;

	story_gather(&story);
	if (!story.subject)
		return NULL;
	story_words(&story);
	story.lock_key = story.lock.address ? lock_key(reader, frames, &story.lock) : text_copy("");
	object = story_write(&story);
	scene_finish(&story.holder);
	scene_finish(&story.forker);
	scene_finish(&story.sufferer);
	json_decref(story.words);
	free(story.lock_key);
	return object;
}

uint64_t story_lock(const struct facts *facts, const struct finding *finding)
{
	if (finding->wait < facts->wait_count)
		return facts->waits[finding->wait].ev.lock;
	if (finding->unlock < facts->unlock_count)
		return facts->unlocks[finding->unlock].ev.lock;
	return finding->held < facts->held_count ? facts->helds[finding->held].ev.lock : 0;
}
