/* SPDX-License-Identifier: Apache-2.0 */
/* Names of locks and threads. */
#include "text_locks.h"

#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_texts.h"
#include "../base/jsontext.h"
#include "../reader/threads.h"

#define THREADS_NAMED 6u

const char *held_probably(const struct fact_held *held)
{
	return held && held->ev.flags & MPSAN_LF_PROBABLY ? "probably " : "";
}

const char *how_text(uint64_t how)
{
	return mpsan_how_text(how) ?: mpsan_how_text(MPSAN_HOW_FORK);
}

/*
 * The name that this address had at the event of the lock; borrowed. What the program called it goes
 * before what Python does, which is in quotes; "" takes a name back.
 */
static const char *logged_name(const struct reader *reader, const struct lock_ref *lock)
{
	const char *text, *python = NULL;

	for (uint32_t i = reader->names.count; i-- > 0;) {
		const struct seen_name *name = &reader->names.item[i];

		if (name->lock != lock->address || name->at.time_ns > lock->at->time_ns ||
		    !fact_is_ancestor(&reader->facts, name->at.by, lock->at->by))
			continue;
		text = reader_text(reader, name->at.slot, name->name);
		if (!text || !*text)
			break;
		if (!strchr(text, '"'))
			return text;
		python = python ? python : text;
	}
	return python;
}

/*
 * CPython's buffered files have a lock of their own. In a stripped interpreter the caller tells it
 * apart: Lock and RLock objects wait in PyThread_acquire_lock_timed, which is not between here.
 */
static bool is_buffer_lock(json_t *native)
{
	static const char *const sign[] = {"_enter_buffered_busy", "_io__Buffered",
					   "_bufferedwriter_flush", "buffered_flush",
					   "buffered_enter"};
	json_t *frame = json_array_get(native, 0), *caller = json_array_get(native, 1);
	const char *first = json_string_value(json_object_get(frame, "function"));
	size_t k;

	if (first && !strcmp(first, "PyThread_acquire_lock"))
		return json_equal(json_object_get(frame, "module"),
				  json_object_get(caller, "module")); /* not an extension's */
	JSON_EACH(frame, native) {
		const char *function = json_string_value(json_object_get(frame, "function"));

		for (k = 0; function && k < sizeof(sign) / sizeof(*sign); k++)
			if (strstr(function, sign[k]))
				return true;
	}
	return false;
}

static char *init_text(struct frames *frames, const struct lock_ref *lock, bool as_key)
{
	json_auto_t *frame = NULL;

	if (!lock->held || !lock->held->ev.init || lock->flags & MPSAN_LF_PYTHON)
		return NULL;
	frame = frame_of_caller(frames, &lock->held->at, lock->held->ev.init);
	return as_key ? frame_key(frame) : frame_text(frame);
}

/* The lock's own name: given by the program, else by a symbol table. */
static char *proper_name(const struct reader *reader, struct frames *frames,
			 const struct lock_ref *lock)
{
	const char *given = logged_name(reader, lock);

	if (given)
		return text_copy(given);
	return frames_object(frames, lock->at, lock->address);
}

/* The event that created or opened a process-shared lock, in its process or an ancestor. */
static const struct seen_share *find_share(const struct reader *reader, const struct lock_ref *lock)
{
	for (uint32_t i = reader->shares.count; i-- > 0;) {
		const struct seen_share *share = &reader->shares.item[i];

		if (share->ev.lock == lock->address && !share->gone &&
		    share->at.time_ns <= lock->at->time_ns &&
		    fact_is_ancestor(&reader->facts, share->at.by, lock->at->by))
			return share;
	}
	return NULL;
}

/* The function that the program's own line called; NULL if that line created the lock itself. */
static const char *called_by(json_t *python, const json_t *script)
{
	const char *function = NULL, *dot;
	json_t *frame;

	JSON_EACH(frame, python) {
		if (frame == script)
			break;
		function = json_string_value(json_object_get(frame, "function"));
	}
	dot = function ? strrchr(function, '.') : NULL;
	return dot ? dot + 1 : function;
}

static bool same_frames(const struct reader *reader, const struct seen_share *one,
			const struct seen_share *other)
{
	const char *first = reader_text(reader, one->at.slot, one->ev.python),
		   *second = reader_text(reader, other->at.slot, other->ev.python);

	return one->at.by == other->at.by && first && second && !strcmp(first, second);
}

/* " (number 2 of 3)" tells apart what one line made several times; "" if it made one. */
static char *share_number(const struct reader *reader, const struct seen_share *share)
{
	unsigned number = 0, all = 0;

	for (uint32_t i = 0; i < reader->shares.count; i++) {
		const struct seen_share *other = &reader->shares.item[i];

		if (other->gone || !same_frames(reader, share, other))
			continue;
		all++;
		if (other <= share)
			number++;
	}
	return all > 1 ? text_format(" (number %u of %u)", number, all) : text_copy("");
}

/*
 * A multiprocessing lock by the object that the program created: "Queue made at main
 * (train.py:12)".
 */
static char *share_text(const struct reader *reader, struct frames *frames,
			const struct lock_ref *lock, bool as_key)
{
	const struct seen_share *share = find_share(reader, lock);
	json_auto_t *python = share ? frames_python(frames, &share->at, share->ev.python) : NULL;
	json_t *script = frames_first_script(python);
	const char *function = called_by(python, script);
	AUTO_FREE char *where = as_key ? frame_key(script) : frame_text(script);
	AUTO_FREE char *number = share && !as_key ? share_number(reader, share) : text_copy("");

	return where && function ? text_format("%s made at %s%s", function, where, number) : NULL;
}

char *lock_maker(const struct reader *reader, struct frames *frames, const struct lock_ref *lock)
{
	return share_text(reader, frames, lock, false);
}

static bool has_permits(const char *maker)
{
	return !strncmp(maker, "Semaphore ", 10) || !strncmp(maker, "BoundedSemaphore ", 17);
}

/* "the Lock made at main (train.py:12)"; "a permit of the Semaphore made ..." */
static char *shared_text(const char *maker)
{
	if (!strncmp(maker, "Lock ", 5) || !strncmp(maker, "RLock ", 6))
		return text_format("the %s", maker);
	if (has_permits(maker))
		return text_format("a permit of the %s", maker);
	return text_format("a lock of the %s", maker);
}

static bool same_job(const struct reader *reader, uint32_t one, uint32_t other)
{
	return fact_is_ancestor(&reader->facts, one, other) ||
	       fact_is_ancestor(&reader->facts, other, one);
}

/* Whether another lock has the same name: each object of a class has one of its own. */
static bool has_namesake(const struct reader *reader, const struct lock_ref *lock)
{
	const char *name = logged_name(reader, lock), *text;

	for (uint32_t i = 0; name && i < reader->names.count; i++) {
		const struct seen_name *other = &reader->names.item[i];

		text = reader_text(reader, other->at.slot, other->name);
		if (other->lock != lock->address && text && !strcmp(text, name) &&
		    same_job(reader, other->at.by, lock->at->by))
			return true;
	}
	return false;
}

/* Whether the same line initialised another lock that was held. */
static bool has_twin(const struct reader *reader, const struct lock_ref *lock)
{
	for (uint32_t i = 0; lock->held && i < reader->facts.held_count; i++) {
		const struct fact_held *other = &reader->facts.helds[i];

		if (other->ev.lock != lock->address && other->ev.init == lock->held->ev.init &&
		    same_job(reader, other->at.by, lock->at->by))
			return true;
	}
	return false;
}

/* Appends the address to a text that fits another lock as well. */
static char *told_apart(char *text, const struct lock_ref *lock, bool ambiguous)
{
	char *longer = ambiguous ?
			       text_format("%s (0x%llx)", text, (unsigned long long)lock->address) :
			       NULL;

	if (longer)
		free(text);
	return longer ? longer : text;
}

/* Its name, and where it was made, which tells that of several processes apart. */
static char *python_text(const struct reader *reader, struct frames *frames,
			 const struct lock_ref *lock, const char *name)
{
	AUTO_FREE char *maker = lock_maker(reader, frames, lock);
	const char *where = maker ? strstr(maker, " made at ") : NULL;

	return where ? text_format("%s%s,%s", has_permits(maker) ? "a permit of " : "", name,
				   where) :
		       text_copy(name);
}

static bool is_rwlock(uint64_t kind)
{
	return kind == MPSAN_LOCK_RWLOCK_READ || kind == MPSAN_LOCK_RWLOCK_WRITE;
}

/* Of one that is held to read and wanted to write, or the other way round, the text is about both. */
static const char *kind_text(const struct lock_ref *lock)
{
	if (lock->held && is_rwlock(lock->kind) && lock->held->ev.kind != lock->kind)
		return "rwlock";
	return lock_kind_text(lock->kind, lock->flags);
}

char *lock_text(const struct reader *reader, struct frames *frames, const struct lock_ref *lock)
{
	const char *kind = kind_text(lock);
	char *name = proper_name(reader, frames, lock), *text;

	if (lock->flags & MPSAN_LF_LOADER) {
		text = text_copy("the dynamic loader's lock");
	} else if (name && lock->kind == MPSAN_LOCK_LIBC) {
		text = text_format("libc's %s", name);
	} else if (name && lock->kind == MPSAN_WAIT_POOL) {
		text = text_format("the thread pool of %s", name);
	} else if (name && strchr(name, '"')) { /* of Python's, with its kind and place */
		text = told_apart(python_text(reader, frames, lock, name), lock,
				  has_namesake(reader, lock));
	} else if (name) {
		text = told_apart(text_format("%s \"%s\"", kind, name), lock,
				  has_namesake(reader, lock));
	} else if ((name = lock_maker(reader, frames, lock))) {
		text = shared_text(name);
	} else if (is_buffer_lock(lock->native)) {
		text = text_copy("the buffer lock of a Python file");
	} else if ((name = init_text(frames, lock, false))) {
		text = told_apart(text_format("%s initialised at %s", kind, name), lock,
				  has_twin(reader, lock));
	} else {
		text = text_format("%s 0x%llx", kind, (unsigned long long)lock->address);
	}
	free(name);
	return text;
}

char *lock_key(const struct reader *reader, struct frames *frames, const struct lock_ref *lock)
{
	char *name = share_text(reader, frames, lock, true); /* the same in each process */

	if (!name)
		name = proper_name(reader, frames, lock);
	if (!name && is_buffer_lock(lock->native))
		name = text_copy("buffer lock");
	if (!name)
		name = init_text(frames, lock, true);
	return name ? name : text_copy("");
}

/* Functions in which runtimes start other threads: their names say nothing about the thread. */
static bool is_wrapper(const char *function)
{
	static const char *const wrapper[] = {"pythread_wrapper", "t_bootstrap",
					      "thread_run",	  "execute_native_thread_routine",
					      "thread_start",	  "g_thread_proxy",
					      "thread_proxy"};

	for (size_t i = 0; i < sizeof(wrapper) / sizeof(*wrapper); i++)
		if (!strcmp(function, wrapper[i]))
			return true;
	return !strncmp(function, "<std::", 6); /* of Rust */
}

static char *start_function(struct frames *frames, const struct fact_thread *thread)
{
	char *function = thread ? frames_function(frames, &thread->at, thread->ev.entry) : NULL;

	if (!function || !is_wrapper(function))
		return function;
	free(function);
	return NULL;
}

char *thread_text(const struct reader *reader, struct frames *frames, uint32_t slot, uint32_t tid,
		  uint64_t time_ns)
{
	bool first = slot < reader->session.slots && reader->session.table[slot].pid == tid;
	const char *name = first ? "main thread" : threads_name(reader, slot, tid, time_ns);
	char *function = name ? text_copy(name) :
				start_function(frames, threads_at(reader, slot, tid, time_ns));

	return function ? function : text_format("TID %u", tid);
}

static char *thread_origin(const struct reader *reader, struct frames *frames,
			   const struct fact_thread *thread, uint64_t time_ns)
{
	AUTO_FREE char *name = thread_text(reader, frames, thread->at.by, thread->at.tid, time_ns),
		       *where = NULL;
	json_auto_t *frame = frame_of_caller(frames, &thread->at, thread->ev.creator_caller);
	bool known = json_is_string(json_object_get(frame, "file"));

	where = known ? frame_text(frame) : NULL;
	return where ? text_format("%s (created at %s)", name, where) : text_copy(name);
}

static char *join_text(char *list, const char *between, char *more)
{
	char *joined = list ? text_format("%s%s%s", list, between, more) : text_copy(more);

	free(list);
	free(more);
	return joined;
}

char *threads_text(const struct reader *reader, struct frames *frames, const struct fact_fork *fork)
{
	uint64_t others = fork->ev.threads ? fork->ev.threads - 1 : 0, count = 0;
	char *list = NULL;

	for (uint32_t i = 0; i < reader->threads.count; i++) {
		const struct fact_thread *thread = &reader->threads.item[i];

		if (threads_lives(thread, fork) && ++count <= THREADS_NAMED)
			list = join_text(list, ", ",
					 thread_origin(reader, frames, thread, fork->at.time_ns));
	}
	if (count > THREADS_NAMED)
		list = join_text(
			list, " and ",
			text_format("%llu more", (unsigned long long)(count - THREADS_NAMED)));
	if (list && others > count)
		list = join_text(list, "; start not seen: ",
				 text_format("%llu", (unsigned long long)(others - count)));
	return list ? list : text_copy("none whose start was seen");
}
