/* SPDX-License-Identifier: Apache-2.0 */
/* Reads threading's locks, and who is inside of a `with` block of them. See lock.h. */
#include "lock.h"

#define LOCK 16 /* lockobject.lock, rlockobject.lock, .lock_lock, .rlock_lock */
#define OBJECT_MAX 64u /* bytes up to that word */
#define RLOCK_OWNER 24
#define RLOCK_COUNT 32 /* from 3.14 on it does not count the first time */
#define FIRST_MUTEX 0x030d01 /* 3.13.1 */
#define FIRST_PARKED 13 /* 3.13.0 has other PyMutexes */
#define WEAK_OBJECT 16 /* PyWeakReference.wr_object */
#define RELEASED_MAX 4u /* conditions that a thread waits for, one inside of the other */

bool cpython_has_mutexes(const struct cpython *py)
{
	return py->version >> 8 >= FIRST_MUTEX;
}

static bool is_mutex(const struct cpython *py, bool recursive)
{
	return recursive ? py->at.minor >= 14 : cpython_has_mutexes(py);
}

bool cpython_lock(const struct cpython *py, uint64_t object, struct cpython_lock *lock)
{
	bool recursive = object && cpython_is_a(py, object, "_thread.RLock");

	if (!recursive && !cpython_is_a(py, object, "_thread.lock"))
		return false;
	lock->object = object;
	lock->recursive = recursive;
	lock->mutex = is_mutex(py, recursive);
	lock->address = lock->mutex ? cpython_at(py, object, LOCK) :
				      cpython_member(py, object, LOCK);
	return lock->address;
}

struct cpython_lock_object cpython_lock_object(const struct cpython *py, uint64_t object)
{
	unsigned word = (unsigned)cpython_at(py, 0, LOCK), type = py->at.object_type;
	char bytes[OBJECT_MAX];

	if (word + 8 > sizeof(bytes) || !cpython_peek(py, bytes, object, word + 8))
		return (struct cpython_lock_object){0};
	return (struct cpython_lock_object){
		.references = type == CPYTHON_HEAD - 8 ? (uint32_t)word_at(bytes, 0) : 0,
		.type = word_at(bytes, type),
		.word = word_at(bytes, word),
	};
}

uint64_t cpython_lock_owner(const struct cpython *py, const struct cpython_lock *lock)
{
	return lock->recursive && (lock->mutex || cpython_member(py, lock->object, RLOCK_COUNT)) ?
		       cpython_member(py, lock->object, RLOCK_OWNER) :
		       0;
}

/* PyThreadState.on_delete_data is a weak reference to that lock. */
bool cpython_ends_with(const struct cpython *py, uint64_t state, uint64_t address)
{
	unsigned after = py->at.minor < 11 ? 32 : 40; /* thread_id */
	struct cpython_lock lock;
	uint64_t weak;

	if (!state || py->at.minor >= FIRST_PARKED)
		return false;
	weak = cpython_peek_word(py, state + py->at.state_thread_id + after);
	return weak && cpython_lock(py, cpython_member(py, weak, WEAK_OBJECT), &lock) &&
	       lock.address == address;
}

/* ---- parked threads ---- */

/* struct wait_entry of Python/parking_lot.c, the same from 3.13 on. */
struct entry {
	uint64_t argument; /* of a mutex: a variable of its caller, further up the stack */
	uint64_t address;
	uint64_t semaphore[4];
	uint64_t next, previous; /* other entries, or the list's head */
};

#define STACK_DISTANCE 4096
#define CALLERS_MAX 4u /* frames of threading and others between a wait and its caller */

uint64_t cpython_awaited_condition(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	return walk_on(&walk, &frame) && frame_is(py, &frame, "wait", "threading.py") ?
		       frame_local(py, &frame, 0) :
		       0;
}

bool cpython_awaits_news(const struct cpython *py, uint64_t top)
{
	return cpython_awaited_condition(py, top);
}

/* Whether the semaphore is part of an entry in a list of them. */
static bool entry_read(const struct cpython *py, struct entry *entry, uint64_t semaphore)
{
	uint64_t at = semaphore - offsetof(struct entry, semaphore),
		 node = at + offsetof(struct entry, next);

	return cpython_peek(py, entry, at, sizeof(*entry)) &&
	       cpython_peek_word(py, entry->next + 8) == node &&
	       cpython_peek_word(py, entry->previous) == node;
}

uint64_t cpython_parked_for(const struct cpython *py, uint64_t semaphore)
{
	struct entry entry;

	return py->at.minor >= FIRST_PARKED && entry_read(py, &entry, semaphore) ? entry.address :
										   0;
}

uint64_t cpython_parked(const struct cpython *py, uint64_t top, uint64_t semaphore)
{
	struct entry entry;
	unsigned char byte;

	if (!cpython_has_mutexes(py) || !entry_read(py, &entry, semaphore) ||
	    entry.argument - (semaphore - offsetof(struct entry, semaphore)) >= STACK_DISTANCE ||
	    !cpython_peek(py, &byte, entry.address, 1))
		return 0;
	return byte == (CPYTHON_MUTEX_LOCKED | CPYTHON_MUTEX_PARKED) &&
			       !cpython_awaits_news(py, top) ?
		       entry.address :
		       0;
}

uint64_t cpython_awaited_lock(const struct cpython *py, uint64_t top)
{
	struct cpython_lock lock;
	uint64_t condition = cpython_awaited_condition(py, top), object;
	struct frame frame;
	struct walk walk;

	if (!condition)
		return 0;
	object = cpython_attribute(py, condition, "_lock");
	walk_open(&walk, py, top);
	walk_on(&walk, &frame);
	for (unsigned i = 0; i < CALLERS_MAX && walk_on(&walk, &frame); i++)
		if (cpython_string_ends(py, frame.file, "concurrent/futures/_base.py") ||
		    cpython_string_ends(py, frame.file, "multiprocessing/pool.py"))
			return 0;
	return cpython_lock(py, object, &lock) ? lock.address : 0;
}

/* ---- with blocks ---- */

bool cpython_lock_in(const struct cpython *py, const struct with_block *block,
		     struct cpython_lock *lock)
{
	if (block->builtin)
		return cpython_lock(py, block->self, lock);
	return with_is_of(py, block, "threading.py") &&
	       cpython_lock(py, cpython_attribute(py, block->self, "_lock"), lock);
}

static bool is_among(const uint64_t *released, unsigned count, uint64_t object)
{
	for (unsigned i = 0; i < count && i < RELEASED_MAX; i++)
		if (released[i] == object)
			return true;
	return false;
}

void cpython_held(const struct cpython *py, uint64_t top, cpython_held_seen *see, void *context)
{
	uint64_t released[RELEASED_MAX];
	struct with_block block[WITH_MAX];
	unsigned waits = 0;
	struct cpython_lock lock;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (waits <= RELEASED_MAX && walk_on(&walk, &frame)) {
		for (unsigned i = with_blocks(py, &frame, block); i-- > 0;)
			if (cpython_lock_in(py, &block[i], &lock) &&
			    !is_among(released, waits, lock.object))
				see(py, &lock, &frame, &block[i], context);
		if (frame_is(py, &frame, "wait", "threading.py"))
			released[waits++ % RELEASED_MAX] =
				cpython_attribute(py, frame_local(py, &frame, 0), "_lock");
	}
}

/* ---- imports ---- */

size_t cpython_awaited_import(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct frame frame;
	struct walk walk;
	uint64_t name;

	walk_open(&walk, py, top);
	if (walk_on(&walk, &frame) &&
	    frame_is(py, &frame, "acquire", "<frozen importlib._bootstrap>")) {
		name = cpython_attribute(py, frame_local(py, &frame, 0), "name");
		if (name)
			writer_string(&w, py, name);
	}
	return writer_close(&w, bytes);
}
