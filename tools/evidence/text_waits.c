/* SPDX-License-Identifier: Apache-2.0 */
/* Words for waits. */
#include "text_waits.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../rules/dead_ends.h"
#include "../symbolizer/origin.h"
#include "../symbols/frame.h"
#include "../symbols/function_name.h"

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

#define FIX_FUTURE \
	"set each std::promise on every path, with set_exception(std::current_exception()) where the work fails; one that is destroyed without a value wakes who waits for it (broken_promise)"
#define FIX_BARRIER \
	"make the Barrier for as many threads as call wait(), and let each of them call it on every path, errors included"
#define FIX_SCOPE \
	"drop what the threads of a scope wait for, such as the guard of a Mutex or a Sender, before the scope ends"
#define FIX_CHANNEL_FULL                                                                                  \
	"receive in another thread than the one that sends, give sync_channel() room for all that is "    \
	"sent before somebody receives, and let the receiver's thread go on receiving, or drop its end, " \
	"where its work fails"
#define FIX_CHANNEL_EMPTY                                                                                \
	"drop the receiving thread's own Sender before it receives (drop(tx)), and each other one when " \
	"its thread has sent all: recv() returns an error, and a loop over the Receiver ends, when the " \
	"last one is dropped"
#define FIX_ONCE                                                                                \
	"let the initialiser neither use what it initialises nor wait for a thread that does: " \
	"initialise first, and start or join threads afterwards"
#define FIX_CONDVAR                                                                                    \
	"change what the waiting loop tests under the Condvar's Mutex, then notify, on every path of " \
	"the thread that is to do it; test before the first wait (wait_while() does)"
#define FIX_GUARD                                                                                          \
	"drop the guard before its thread takes the lock again or waits for another thread (drop(guard), " \
	"or a block of its own; the guard that `match` and `if let` make lives to their end), and take "   \
	"several locks in the same order everywhere"

/*
 * By the beginning of a function's name without type arguments. The first row that one of the frames fits counts, so what is
 * made of others comes before them. Rust's are of std since 1.67, of parking_lot and of crossbeam.
 */
static const struct native_wait native_waits[] = {
	{"std::__atomic_futex_unsigned_base::_M_futex_wait_until", "the result of a std::future",
	 FIX_FUTURE},
	{"std::sync::mpsc::SyncSender::send", "room in a Rust channel", FIX_CHANNEL_FULL},
	{"crossbeam_channel::channel::Sender::send", "room in a Rust channel", FIX_CHANNEL_FULL},
	{"std::sync::mpmc::Receiver::recv", "an item of a Rust channel", FIX_CHANNEL_EMPTY},
	{"std::sync::mpsc::Receiver::recv", "an item of a Rust channel", FIX_CHANNEL_EMPTY},
	{"crossbeam_channel::channel::Receiver::recv", "an item of a Rust channel",
	 FIX_CHANNEL_EMPTY},
	{"std::sync::barrier::Barrier::wait", "the other parties of a Rust Barrier", FIX_BARRIER},
	{"std::thread::scoped::scope", "the end of the threads of a Rust scope", FIX_SCOPE},
	{"std::sys::sync::once::", "the initialiser of a Rust Once", FIX_ONCE},
	{"std::sys_common::once::", "the initialiser of a Rust Once", FIX_ONCE},
	{"std::sys::sync::condvar::", "a signal of a Rust Condvar", FIX_CONDVAR},
	{"std::sync::condvar::Condvar::", "a signal of a Rust Condvar", FIX_CONDVAR},
	{"parking_lot::condvar::Condvar::", "a signal of a Rust Condvar", FIX_CONDVAR},
	{"std::sys::sync::rwlock::", "a Rust RwLock", FIX_GUARD},
	{"std::sync::rwlock::RwLock::", "a Rust RwLock", FIX_GUARD},
	{"parking_lot::raw_rwlock::", "a Rust RwLock", FIX_GUARD},
	{"std::sys::sync::mutex::", "a Rust Mutex", FIX_GUARD},
	{"std::sync::mutex::Mutex::", "a Rust Mutex", FIX_GUARD},
	{"parking_lot::raw_mutex::", "a Rust Mutex", FIX_GUARD},
};

/* The row of a function before `end`; `end`: none. */
static const struct native_wait *native_row(const char *function, const struct native_wait *end)
{
	AUTO_FREE char *name = function_name_short(function);
	const struct native_wait *row = native_waits;

	while (row < end && strncmp(name, row->function, strlen(row->function)) != 0)
		row++;
	return row;
}

/* Whether a frame is one of libraries: the waits in what the program calls from there are none of theirs. */
static bool is_of_library(const json_t *frame)
{
	return frame_is_header(frame) || origin_is_plumbing(jsontext_at(frame, "module")) ||
	       strstr(jsontext_at(frame, "file"), "/.cargo/registry/");
}

const struct native_wait *native_wait(const json_t *native)
{
	const struct native_wait *none = native_waits +
					 sizeof(native_waits) / sizeof(*native_waits),
				 *found = none;
	const json_t *frame;

	JSON_EACH(frame, native) {
		if (!is_of_library(frame))
			break;
		found = native_row(jsontext_at(frame, "function"), found);
	}
	return found < none ? found : NULL;
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

	const struct native_wait *native =
		lock->kind == MPSAN_WAIT_FUTEX ? native_wait(lock->native) : NULL;

	if (native)
		text = text_format("%s (%s)", native->phrase, name);
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
