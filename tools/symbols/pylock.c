/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the owners of Python's locks. A `with` statement keeps the bound __exit__ of what it entered
 * on its frame's value stack; how much of that stack is in use follows from the try blocks around
 * the current instruction: each of them knows the depth to which it would unwind.
 */
#include "pylock.h"

#include "../../shim/common/cpython/process.h"

#define NEWEST_MINOR 13 /* whose locks are semaphores */
#define LOCK_SEMAPHORE 16 /* lockobject.lock_lock, rlockobject.rlock_lock */
#define RLOCK_OWNER 24
#define RLOCK_COUNT 32
#define BOUND_FUNCTION 16 /* PyMethodObject.im_func, PyCFunctionObject.m_ml */
#define BOUND_SELF 24
#define BUILTIN "builtin_function_or_method"
#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define DEPTH_MAX 64u /* of a value stack */
#define BLOCKS_MAX 20 /* CO_MAXBLOCKS */
#define BLOCK_BYTES 12
#define BLOCK_LEVEL 8
#define HANDLERS_MAX 8192u /* bytes of a table of handlers */

/* A lock of multiprocessing: SemLockObject. */
#define SEMLOCK_HANDLE 16
#define SEMLOCK_TAKER 24 /* pthread_self() of the last thread of this process that took it */
#define SEMLOCK_COUNT 32 /* how often that was, less the releases; then its greatest value */

static bool is_known(const struct cpython *py)
{
	return py->at.minor <= NEWEST_MINOR;
}

/* ---- objects ---- */

static bool is_lock(const struct cpython *py, uint64_t object, uint64_t lock)
{
	return object && cpython_peek_word(py, object + LOCK_SEMAPHORE) == lock &&
	       (cpython_is_a(py, object, "_thread.lock") ||
		cpython_is_a(py, object, "_thread.RLock"));
}

static bool is_builtin_exit(const struct cpython *py, uint64_t bound)
{
	uint64_t method = cpython_peek_word(py, bound + BOUND_FUNCTION);
	static const char name[] = "__exit__";
	char text[sizeof(name)];

	return method && cpython_is_a(py, bound, BUILTIN) &&
	       cpython_peek(py, text, cpython_peek_word(py, method), sizeof(text)) &&
	       !memcmp(text, name, sizeof(text));
}

static bool is_method_exit(const struct cpython *py, uint64_t bound, const char *file)
{
	struct frame exit = {
		.code = cpython_code_of(py, cpython_peek_word(py, bound + BOUND_FUNCTION))};

	return exit.code && cpython_is_a(py, bound, "method") && frame_read_code(py, &exit) &&
	       frame_is(py, &exit, "__exit__", file);
}

/* What is sought on the stacks: the lock, or, with a taker, a lock of multiprocessing. */
struct sought {
	uint64_t lock, taker;
};

static bool releases_lock(const struct cpython *py, uint64_t bound, uint64_t self, uint64_t lock)
{
	if (is_lock(py, self, lock))
		return is_builtin_exit(py, bound);
	return is_method_exit(py, bound, "threading.py") &&
	       is_lock(py, cpython_attribute(py, self, "_lock"), lock);
}

/* Whether it is a Lock that this thread took in this process: not a counting semaphore. */
static bool is_shared_lock(const struct cpython *py, uint64_t object, const struct sought *sought)
{
	uint64_t semaphore = object ? cpython_attribute(py, object, "_semlock") : 0;
	int32_t count_most[2];

	return semaphore && cpython_peek_word(py, semaphore + SEMLOCK_HANDLE) == sought->lock &&
	       cpython_peek_word(py, semaphore + SEMLOCK_TAKER) == sought->taker &&
	       cpython_peek(py, count_most, semaphore + SEMLOCK_COUNT, sizeof(count_most)) &&
	       count_most[0] == 1 && count_most[1] == 1 &&
	       cpython_is_a(py, semaphore, "_multiprocessing.SemLock");
}

/* Whether a value is the bound __exit__ that releases the lock: its own, or a Condition's. */
static bool releases(const struct cpython *py, uint64_t bound, const struct sought *sought)
{
	uint64_t self = bound ? cpython_peek_word(py, bound + BOUND_SELF) : 0;

	if (!self || !sought->taker)
		return self && releases_lock(py, bound, self, sought->lock);
	return is_method_exit(py, bound, "synchronize.py") &&
	       (is_shared_lock(py, self, sought) ||
		is_shared_lock(py, cpython_attribute(py, self, "_lock"), sought));
}

/* ---- the part of a frame's stack that is certainly in use ---- */

/* Up to 3.10 a frame has a list of the blocks that it is in. */
static unsigned depth_by_blocks(const struct cpython *py, const struct frame *frame)
{
	int32_t count, level;

	if (!cpython_peek(py, &count, frame->at + py->at.frame_block_count, sizeof(count)) ||
	    count < 1 || count > BLOCKS_MAX ||
	    !cpython_peek(py, &level,
			  frame->at + py->at.frame_blocks + BLOCK_BYTES * (unsigned)(count - 1) +
				  BLOCK_LEVEL,
			  sizeof(level)))
		return 0;
	return level > 0 ? (unsigned)level : 0;
}

/* A number in groups of six bits, highest first, each but the last marked by 64. */
static unsigned handlers_number(const unsigned char *table, size_t bytes, size_t *at)
{
	unsigned value = 0;
	unsigned char byte = 64;

	while (*at < bytes && (byte & 64)) {
		byte = table[(*at)++];
		value = value << 6 | (byte & 63);
	}
	return value;
}

/* From 3.11 on the code has a table: entries of start, length, handler, and depth * 2 + flag. */
static unsigned depth_by_handlers(const struct cpython *py, const struct frame *frame)
{
	static unsigned char table[HANDLERS_MAX];
	uint64_t object = cpython_peek_word(py, frame->code + py->at.code_handlers), size;
	unsigned unit = (unsigned)frame->instr / 2, start, length, depth;

	if (frame->instr < 0 || !object ||
	    cpython_peek_word(py, object + CPYTHON_OB_TYPE) != py->bytes_type)
		return 0;
	size = cpython_peek_word(py, object + py->at.bytes_size);
	if (size > sizeof(table) || !cpython_peek(py, table, object + py->at.bytes_items, size))
		return 0;
	for (size_t at = 0; at < size;) {
		start = handlers_number(table, size, &at);
		length = handlers_number(table, size, &at);
		handlers_number(table, size, &at);
		depth = handlers_number(table, size, &at);
		if (unit >= start && unit - start < length)
			return depth / 2;
	}
	return 0;
}

static bool frame_releases(const struct cpython *py, const struct frame *frame,
			   const struct sought *sought)
{
	bool old = py->at.minor < 11;
	unsigned depth = old ? depth_by_blocks(py, frame) : depth_by_handlers(py, frame);
	uint64_t stack;
	int32_t locals;

	if (!depth || depth > DEPTH_MAX)
		return false;
	if (old)
		stack = cpython_peek_word(py, frame->at + py->at.frame_stack);
	else if (cpython_peek(py, &locals, frame->code + py->at.code_locals, sizeof(locals)))
		stack = frame->locals + 8ull * (unsigned)locals;
	else
		return false;
	for (unsigned i = 0; stack && i < depth; i++)
		if (releases(py, cpython_peek_word(py, stack + 8ull * i), sought))
			return true;
	return false;
}

bool pylock_in_with(const struct cpython *py, uint64_t top, uint64_t lock)
{
	const struct sought sought = {.lock = lock};
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, is_known(py) ? top : 0);
	while (walk_on(&walk, &frame))
		if (frame_releases(py, &frame, &sought))
			return true;
	return false;
}

/* Whether this frame is the first of a child of multiprocessing that process `parent` forked. */
static bool is_first_of_child(const struct cpython *py, const struct frame *frame, uint32_t parent)
{
	uint64_t number = frame_is(py, frame, "_bootstrap", "process.py") ?
				  cpython_attribute(py, frame_local(py, frame, 0), "_parent_pid") :
				  0;

	return number && (uint32_t)cpython_peek_word(py, number + CPYTHON_INT_VALUE) == parent;
}

bool pylock_keeps_shared(const struct cpython *py, uint64_t top, uint64_t lock, uint64_t thread,
			 uint32_t parent)
{
	const struct sought sought = {.lock = lock, .taker = thread};
	struct frame frame;
	struct walk walk;
	bool keeps = false;

	walk_open(&walk, py, is_known(py) && thread ? top : 0);
	while (walk_on(&walk, &frame)) {
		if (keeps && is_first_of_child(py, &frame, parent))
			return true;
		keeps = keeps || frame_releases(py, &frame, &sought);
		if (keeps && !parent)
			return true;
	}
	return false;
}

/* ---- the innermost frame ---- */

static bool innermost(const struct cpython *py, uint64_t top, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, py, is_known(py) ? top : 0);
	return walk_on(&walk, frame);
}

uint64_t pylock_at_hand(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct frame frame;
	uint64_t object;

	if (!innermost(py, top, &frame))
		return 0;
	for (unsigned i = 0; i < AT_HAND_MAX; i++) {
		object = frame_local(py, &frame, i);
		if (object && !is_lock(py, object, lock))
			object = cpython_peek_word(py, object + BOUND_SELF);
		if (is_lock(py, object, lock))
			return object;
	}
	return 0;
}

uint64_t pylock_owner(const struct cpython *py, uint64_t top, uint64_t lock)
{
	uint64_t object = pylock_at_hand(py, top, lock);

	return object && cpython_is_a(py, object, "_thread.RLock") &&
			       cpython_peek_word(py, object + RLOCK_COUNT) ?
		       cpython_peek_word(py, object + RLOCK_OWNER) :
		       0;
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
	return number ? (uint32_t)cpython_peek_word(py, number + CPYTHON_INT_VALUE) : 0;
}
