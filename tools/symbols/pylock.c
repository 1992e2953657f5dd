/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the owners of Python's locks, by frames and objects. */
#include "pylock.h"

#include <string.h>

#include "../../shim/common/cpython/called.h"
#include "../../shim/common/cpython/lock.h"
#include "../../shim/common/cpython/taker.h"

#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define INT_TAG_BITS 3
#define INT_DIGIT_BITS 30
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */

/* A lock of multiprocessing: SemLockObject. */
#define SEMLOCK_HANDLE 16 /* then the last thread of this process that took it: pthread_self() */
#define SEMLOCK_COUNT \
	32 /* how often that was, less the releases; then its greatest value, and its kind */
#define SEMLOCK_RECURSIVE 0 /* an RLock */

/* ---- with blocks ---- */

static bool is_lock(const struct cpython *py, uint64_t object, uint64_t address)
{
	struct cpython_lock lock;

	return cpython_lock(py, object, &lock) && lock.address == address;
}

struct sought {
	uint64_t lock;
	bool found;
};

static void see_held(const struct cpython *py, const struct cpython_lock *lock,
		     const struct frame *frame, const struct with_block *block, void *context)
{
	struct sought *sought = context;

	(void)py, (void)frame, (void)block;
	sought->found = sought->found || lock->address == sought->lock;
}

struct all_held {
	uint64_t *lock;
	unsigned count, most;
};

static void see_all(const struct cpython *py, const struct cpython_lock *lock,
		    const struct frame *frame, const struct with_block *block, void *context)
{
	struct all_held *all = context;

	(void)py, (void)frame, (void)block;
	if (all->count < all->most)
		all->lock[all->count] = lock->address;
	all->count++;
}

unsigned pylock_all_in_with(const struct cpython *py, uint64_t top, uint64_t *lock, unsigned most)
{
	struct all_held all = {lock, 0, most};

	cpython_held(py, top, see_all, &all);
	return all.count;
}

bool pylock_in_with(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct sought sought = {.lock = lock};

	cpython_held(py, top, see_held, &sought);
	return sought.found;
}

uint64_t pylock_semaphore(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	return walk_on(&walk, &frame) && frame_is(py, &frame, "wait", "threading.py") &&
			       walk_on(&walk, &frame) &&
			       frame_is(py, &frame, "acquire", "threading.py") ?
		       frame_local(py, &frame, 0) :
		       0;
}

bool pylock_in_with_of(const struct cpython *py, uint64_t top, uint64_t object)
{
	struct with_block block[WITH_MAX];
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		for (unsigned i = with_blocks(py, &frame, block); i-- > 0;)
			if (block[i].self == object)
				return true;
	return false;
}

/* Of a Lock or RLock: not of a counting semaphore. */
struct semlock {
	uint64_t handle, taker;
	int32_t count, most, kind;
};

static bool read_semlock_at(const struct cpython *py, uint64_t at, struct semlock *semlock)
{
	_Static_assert(offsetof(struct semlock, count) == SEMLOCK_COUNT - SEMLOCK_HANDLE,
		       "read at once");
	return at &&
	       cpython_peek(py, semlock, cpython_at(py, at, SEMLOCK_HANDLE), sizeof(*semlock)) &&
	       semlock->most == 1 && cpython_is_a(py, at, "_multiprocessing.SemLock");
}

static uint64_t semlock_of(const struct cpython *py, uint64_t object)
{
	return object ? cpython_attribute(py, object, "_semlock") : 0;
}

static bool read_semlock(const struct cpython *py, uint64_t object, struct semlock *semlock)
{
	return read_semlock_at(py, semlock_of(py, object), semlock);
}

/* Whether it is a Lock, or an RLock, that this thread took in this process. */
static bool is_shared_lock(const struct cpython *py, uint64_t object, uint64_t lock, uint64_t taker)
{
	struct semlock semlock;

	return read_semlock(py, object, &semlock) && semlock.handle == lock &&
	       semlock.taker == taker &&
	       (semlock.count == 1 || (semlock.count > 1 && semlock.kind == SEMLOCK_RECURSIVE));
}

/* Whether a block of the frame releases the lock of multiprocessing: its own, or a Condition's. */
static bool frame_keeps(const struct cpython *py, const struct frame *frame, uint64_t lock,
			uint64_t taker)
{
	struct with_block block[WITH_MAX];

	for (unsigned i = with_blocks(py, frame, block); i-- > 0;)
		if (with_is_of(py, &block[i], "synchronize.py") &&
		    (is_shared_lock(py, block[i].self, lock, taker) ||
		     is_shared_lock(py, cpython_attribute(py, block[i].self, "_lock"), lock,
				    taker)))
			return true;
	return false;
}

/* Whether this frame is the first of a child of multiprocessing that process `parent` forked. */
static bool is_first_of_child(const struct cpython *py, const struct frame *frame, uint32_t parent)
{
	uint64_t number;

	if (parent == PYLOCK_FORK_SERVER)
		return frame_is(py, frame, "_serve_one", "forkserver.py");
	number = frame_is(py, frame, "_bootstrap", "process.py") ?
			 cpython_attribute(py, frame_local(py, frame, 0), "_parent_pid") :
			 0;
	return number && (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE) == parent;
}

bool pylock_keeps_shared(const struct cpython *py, uint64_t top, uint64_t lock, uint64_t thread,
			 uint32_t parent)
{
	struct frame frame;
	struct walk walk;
	bool keeps = false;

	walk_open(&walk, py, thread ? top : 0);
	while (walk_on(&walk, &frame)) {
		if (keeps && is_first_of_child(py, &frame, parent))
			return true;
		keeps = keeps || frame_keeps(py, &frame, lock, thread);
		if (keeps && !parent)
			return true;
	}
	return false;
}

/* ---- where it was taken ---- */

struct place {
	uint64_t lock;
	char *text;
	size_t bytes, length;
};

/* The outermost of several is the last one seen. */
static void see_taken(const struct cpython *py, const struct cpython_lock *lock,
		      const struct frame *frame, const struct with_block *block, void *context)
{
	struct place *place = context;

	if (lock->address == place->lock)
		place->length = with_text(py, frame, block, place->text, place->bytes);
}

static bool has_handle(const struct cpython *py, uint64_t object, uint64_t lock)
{
	struct semlock semlock;

	return read_semlock(py, object, &semlock) && semlock.handle == lock;
}

static void see_taken_shared(const struct cpython *py, const struct frame *frame,
			     struct place *place)
{
	struct with_block block[WITH_MAX];

	for (unsigned i = with_blocks(py, frame, block); i-- > 0;)
		if (with_is_of(py, &block[i], "synchronize.py") &&
		    (has_handle(py, block[i].self, place->lock) ||
		     has_handle(py, cpython_attribute(py, block[i].self, "_lock"), place->lock)))
			place->length = with_text(py, frame, &block[i], place->text, place->bytes);
}

size_t pylock_taken(const struct cpython *py, uint64_t top, uint64_t lock, char *text, size_t bytes)
{
	struct place place = {.lock = lock, .text = text, .bytes = bytes};
	struct cpython_taker taker;
	struct frame frame;
	struct walk walk;

	cpython_held(py, top, see_taken, &place);
	walk_open(&walk, py, place.length ? 0 : top);
	while (!place.length && walk_on(&walk, &frame))
		see_taken_shared(py, &frame, &place);
	if (place.length)
		return place.length;
	cpython_taker(py, top, &(struct cpython_lock){.address = lock}, &taker);
	return taker.called ? cpython_taker_text(py, &taker, text, bytes) : 0;
}

/* ---- the innermost frame ---- */

static bool innermost(const struct cpython *py, uint64_t top, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, py, top);
	return walk_on(&walk, frame);
}

uint64_t pylock_shared(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct semlock semlock;
	struct frame frame;

	if (!innermost(py, top, &frame) || !frame_is(py, &frame, "__enter__", "synchronize.py") ||
	    !read_semlock(py, frame_local(py, &frame, 0), &semlock) || semlock.handle != lock)
		return 0;
	return semlock_of(py, frame_local(py, &frame, 0));
}

#define NAMES_MAX 4096u
#define NAME_BYTES 64u

static bool names(const struct cpython *py, const struct frame *frame, const char *part)
{
	uint64_t tuple = called_tuple(py, frame->code, 0);
	uint64_t count = tuple && cpython_is_a(py, tuple, "tuple") ?
				 cpython_member(py, tuple, CPYTHON_SIZE) :
				 0;

	for (uint64_t i = 0; i < count && i < NAMES_MAX; i++) {
		char text[NAME_BYTES] = "";
		struct writer w = writer_open(text, sizeof(text));

		writer_string(&w, py, cpython_peek_word(py, tuple + py->at.tuple_items + 8ull * i));
		if (writer_close(&w, sizeof(text)) && strstr(text, part))
			return true;
	}
	return false;
}

bool pylock_names_release(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (names(py, &frame, "release"))
			return true;
	return false;
}

bool pylock_shared_is_free(const struct cpython *py, uint64_t at, uint64_t lock)
{
	struct semlock semlock;

	return read_semlock_at(py, at, &semlock) && semlock.handle == lock && semlock.count <= 0;
}

bool pylock_is_of_queue(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	return walk_on(&walk, &frame) &&
	       (!frame_is(py, &frame, "__enter__", "synchronize.py") || walk_on(&walk, &frame)) &&
	       frame_is(py, &frame, "", "multiprocessing/queues.py");
}

/* A semaphore of the kernel's shared memory: its value is in the lower half of the first word. */
static bool semaphore_value(const struct cpython *py, uint64_t at, int32_t *value)
{
	return at && cpython_peek(py, value, at, sizeof(*value)) && *value >= 0;
}

bool pylock_queue_lacks(const struct cpython *py, uint64_t top)
{
	struct semlock room;
	struct frame frame;
	struct walk walk;
	uint64_t at;
	int32_t value;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame)) {
		if (!frame_is(py, &frame, "get", "multiprocessing/queues.py"))
			continue;
		at = semlock_of(py, cpython_attribute(py, frame_local(py, &frame, 0), "_sem"));
		return at && cpython_is_a(py, at, "_multiprocessing.SemLock") &&
		       cpython_peek(py, &room, cpython_at(py, at, SEMLOCK_HANDLE), sizeof(room)) &&
		       semaphore_value(py, room.handle, &value) && value < room.most;
	}
	return false;
}

/* The lock or RLock with this semaphore among the values that the innermost frame works on; 0: none. */
static uint64_t at_hand(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct frame frame;
	uint64_t object;

	if (!innermost(py, top, &frame))
		return 0;
	for (unsigned i = 0; i < AT_HAND_MAX; i++) {
		object = frame_local(py, &frame, i);
		if (object && !is_lock(py, object, lock))
			object = cpython_member(py, object, BOUND_SELF);
		if (is_lock(py, object, lock))
			return object;
	}
	return 0;
}

/* An int that is not negative, of at most 64 bits; 0: it is None, say. */
static uint64_t int_of(const struct cpython *py, uint64_t object)
{
	uint64_t size = cpython_member(py, object, CPYTHON_SIZE), value = 0;
	uint32_t digit;

	if (!cpython_is_a(py, object, "int"))
		return 0;
	for (uint64_t i = size >> (py->at.minor < 12 ? 0 : INT_TAG_BITS); i-- > 0;) {
		if (i > 2 ||
		    !cpython_peek(py, &digit, cpython_at(py, object, CPYTHON_INT_VALUE) + i * 4, 4))
			return 0;
		value = value << INT_DIGIT_BITS | digit;
	}
	return value;
}

bool pylock_had_permits(const struct cpython *py, uint64_t semaphore)
{
	return int_of(py, cpython_attribute(py, semaphore, "_initial_value"));
}

/* The thread that imports the module for whose lock this one waits. */
static uint64_t importer(const struct cpython *py, uint64_t top)
{
	struct frame frame;

	return innermost(py, top, &frame) &&
			       frame_is(py, &frame, "acquire", "<frozen importlib._bootstrap>") ?
		       int_of(py, cpython_attribute(py, frame_local(py, &frame, 0), "owner")) :
		       0;
}

uint64_t pylock_owner(const struct cpython *py, uint64_t top, uint64_t lock)
{
	uint64_t imports = importer(py, top);
	uint64_t object = imports ? 0 : at_hand(py, top, lock);
	struct cpython_lock found;

	if (imports)
		return imports;
	return object && cpython_lock(py, object, &found) ? cpython_lock_owner(py, &found) : 0;
}

bool pylock_at_end(const struct cpython *py, uint64_t top)
{
	struct frame frame;

	return innermost(py, top, &frame) && frame_is(py, &frame, "_shutdown", "threading.py");
}

/* The thread for which this frame of threading waits; 0: it does something else. */
static uint64_t awaited_thread(const struct cpython *py, const struct frame *frame)
{
	return frame_is(py, frame, py->at.minor < 13 ? "_wait_for_tstate_lock" : "join",
			"threading.py") ?
		       frame_local(py, frame, 0) :
		       0;
}

uint32_t pylock_joined(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct frame frame;
	uint64_t thread = innermost(py, top, &frame) ? awaited_thread(py, &frame) : 0, number;

	if (!thread || (py->at.minor < 13 &&
			!is_lock(py, cpython_attribute(py, thread, "_tstate_lock"), lock)))
		return 0;
	number = cpython_attribute(py, thread, "_native_id");
	return number ? (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE) : 0;
}
