/* SPDX-License-Identifier: Apache-2.0 */
/* Words for waits. */
#include "text_waits.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../rules/dead_ends.h"

static struct awaited_frames frames_of(const struct wait_ref *wait)
{
	struct awaited_frames frames = {0};
	json_t *frame;

	JSON_EACH(frame, wait->python) {
		const char *function = json_string_value(json_object_get(frame, "function"));
		const char *file = json_string_value(json_object_get(frame, "file"));
		struct pyframe next;

		if (!function || !file)
			continue;
		next = pyframe_of((struct pytext){function, strlen(function)},
				  (struct pytext){file, strlen(file)});
		awaited_add(&frames, &next);
	}
	return frames;
}

#define LOCK_FRAMES 5u /* at most, of the C library and the interpreter, inside of a method */

/* queue.SimpleQueue is written in C: only the extension module that waits tells it. */
static bool is_simple_queue(const struct wait_ref *wait)
{
	for (size_t i = 0; i < LOCK_FRAMES; i++) {
		const json_t *frame = json_array_get(wait->lock.native, i);
		const char *module = json_string_value(json_object_get(frame, "module"));
		const char *function = json_string_value(json_object_get(frame, "function"));

		if ((module && !strncmp(path_base(module), "_queue.", 7)) ||
		    (function && !strncmp(function, "_queue_SimpleQueue_get", 22)))
			return true;
	}
	return false;
}

bool wait_is_future(const json_t *native)
{
	static const char wait[] = "std::__atomic_futex_unsigned_base::_M_futex_wait_until";
	const json_t *frame;
	size_t i;

	json_array_foreach(native, i, frame) {
		const char *function = json_string_value(json_object_get(frame, "function"));

		if (i < LOCK_FRAMES && function && !strncmp(function, wait, sizeof(wait) - 1))
			return true;
	}
	return false;
}

static bool is_object(uint64_t kind)
{
	return mpsan_kind_is_lock((unsigned)kind) || kind == MPSAN_WAIT_COND ||
	       kind == MPSAN_WAIT_FUTEX;
}

/* What the frames say, if that agrees with what is known of the wait; NOTHING: they do not. */
static enum awaited told_by_frames(const struct wait_ref *wait)
{
	struct awaited_frames frames = frames_of(wait);
	enum awaited what = frames.either && !is_object(wait->lock.kind) ? AWAITED_NOTHING :
									   frames.what;

	if (what == AWAITED_NOTHING && is_object(wait->lock.kind) && is_simple_queue(wait))
		what = AWAITED_SIMPLE_ITEM;
	if (what == AWAITED_NOTHING || wait->lock.kind == MPSAN_WAIT_GIL ||
	    wait->lock.kind == MPSAN_WAIT_POOL || wait->lock.kind == MPSAN_LOCK_LIBC ||
	    (what == AWAITED_READY && wait->lock.kind == MPSAN_WAIT_READY))
		return AWAITED_NOTHING;
	/* Who takes a lock again after its condition was notified stands in the same frames. */
	return wait->owned && awaited_is_sent(what) && what != AWAITED_POOL_RESULT ?
		       AWAITED_NOTHING :
		       what;
}

enum awaited wait_awaited(const struct wait_ref *wait)
{
	return wait->lock.kind == MPSAN_WAIT_JOIN || wait->lock.kind == MPSAN_WAIT_PROCESS ?
		       AWAITED_NOTHING :
		       told_by_frames(wait);
}

bool wait_is_join(const struct wait_ref *wait)
{
	enum awaited what = told_by_frames(wait);

	return wait->lock.kind == MPSAN_WAIT_JOIN || what == AWAITED_THREAD_END ||
	       what == AWAITED_LEFT_END;
}

static const char *article(const char *noun)
{
	return strchr("AEIOaeio", *noun) ? "an" : "a";
}

/*
 * "an item of a queue.Queue"; with a maker "an item of the Queue made at main (train.py:12)", or
 * "Event.set (made at main (train.py:12))".
 */
static char *phrase_of(enum awaited what, const char *maker)
{
	const char *phrase = awaited_phrase(what), *object = awaited_object(what),
		   *made = maker ? strstr(maker, "made ") : NULL;

	if (!*object)
		return made ? text_format("%s (%s)", phrase, made) : text_copy(phrase);
	if (maker)
		return text_format("%sthe %s", phrase, maker);
	return text_format("%s%s %s", phrase, article(object), object);
}

/* Whether a lock has the name of the object that it is part of. */
static bool is_named(const char *lock)
{
	return strchr(lock, '"') && strncmp(lock, "Lock ", 5) && strncmp(lock, "RLock ", 6) &&
	       lock[0] >= 'A' && lock[0] <= 'Z';
}

static char *object_text(const struct reader *reader, struct frames *frames,
			 const struct wait_ref *wait, enum awaited what)
{
	char *maker = lock_maker(reader, frames, &wait->lock), *text = phrase_of(what, maker),
	     *lock, *both;

	free(maker);
	if (awaited_nature(what) != AWAITED_LOCK)
		return text;
	lock = lock_text(reader, frames, &wait->lock);
	both = !strncmp(lock, "import lock", 11) ? text_format("the %s", lock) :
	       is_named(lock)			 ? text_format("the lock of %s", lock) :
						   text_format("%s (%s)", text, lock);
	free(lock);
	free(text);
	return both;
}

/* A semaphore in C that is not known to serve as a lock, and a condition variable. */
static char *signal_text(const struct reader *reader, struct frames *frames,
			 const struct wait_ref *wait)
{
	const struct lock_ref *lock = &wait->lock;
	char *name = lock_text(reader, frames, lock), *text;
	bool posted = lock->kind == MPSAN_LOCK_SEMAPHORE && !wait->owned &&
		      !(lock->flags & (MPSAN_LF_PYTHON | MPSAN_LF_MUTUAL | MPSAN_LF_SHARED)) &&
		      strncmp(name, "the ", 4) && strncmp(name, "a ", 2); /* multiprocessing's */

	if (lock->kind == MPSAN_WAIT_FUTEX && wait_is_future(lock->native))
		text = text_format("the result of a std::future (%s)", name);
	else if (lock->kind == MPSAN_WAIT_COND && !(lock->flags & MPSAN_LF_PYTHON))
		text = text_format("a signal of the %s", name);
	else if (lock->kind == MPSAN_WAIT_BARRIER)
		text = text_format("the other parties of the %s", name);
	else if (lock->kind == MPSAN_WAIT_POOL && strncmp(name, "the ", 4))
		text = text_copy("the other threads of its OpenMP team");
	else if (posted)
		text = text_format("a post of the %s", name);
	else
		return name;
	free(name);
	return text;
}

/* Who polls for a file lock sleeps between two calls that do not wait. */
static bool is_polled(const struct wait_ref *wait)
{
	return wait->lock.kind == MPSAN_WAIT_FILE_LOCK && wait->call &&
	       strncmp(wait->call, "flock", 5) != 0 && strncmp(wait->call, "fcntl", 5) != 0;
}

/* NULL: an object in memory. */
static char *kernel_text(const struct wait_ref *wait)
{
	const struct wait_kind *row = wait_kind(wait->lock.kind);

	if (!row->phrase)
		return NULL;
	if (wait->lock.kind == MPSAN_WAIT_PROCESS && wait->lock.address)
		return text_format("the end of process %llu",
				   (unsigned long long)wait->lock.address);
	if (is_polled(wait))
		return text_format("%s that it tries to take again and again", row->phrase);
	if (!wait->call || row->call == TOLD_NO)
		return text_copy(row->phrase);
	return row->call == TOLD_IS ? text_copy(wait->call) :
				      text_format("%s in %s", row->phrase, wait->call);
}

char *wait_text(const struct reader *reader, struct frames *frames, const struct wait_ref *wait)
{
	enum awaited what = wait_awaited(wait);
	char *text = what == AWAITED_NOTHING ? kernel_text(wait) :
					       object_text(reader, frames, wait, what);

	return text ? text : signal_text(reader, frames, wait);
}

/* The executor numbers its threads: "ThreadPoolExecutor-0_1". Other pools do not name them. */
static char *pool_of(const char *thread)
{
	const char *number = thread ? strrchr(thread, '_') : NULL;

	return number && number > thread && number[1] &&
			       strspn(number + 1, "0123456789") == strlen(number + 1) ?
		       text_format("%.*s", (int)(number - thread), thread) :
		       text_copy("a thread pool");
}

static void count_worker(const struct evidence_context *ctx, const struct fact_blocked *blocked,
			 json_t *counts)
{
	AUTO_FREE char *thread = thread_text(ctx->reader, ctx->frames, blocked->at.by,
					     blocked->at.tid, blocked->at.time_ns),
		       *pool = pool_of(thread);
	json_int_t before = json_integer_value(json_object_get(counts, pool));

	json_object_set_new(counts, pool, json_integer(before + 1));
}

char *pools_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock)
{
	const struct facts *facts = &ctx->reader->facts;
	json_t *counts = json_object(), *count;
	char *list = text_copy("");
	const char *pool;

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (dead_end_is_nested(&facts->blockeds[i]))
			count_worker(ctx, &facts->blockeds[i], counts);
	json_object_foreach(counts, pool, count) {
		long long workers = json_integer_value(count);

		list = text_join(list, " and ",
				 text_format("%lld %s of %s", workers,
					     workers == 1 ? "worker" : "workers", pool));
	}
	json_decref(counts);
	return list;
}
