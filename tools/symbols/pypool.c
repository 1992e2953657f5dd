/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a pool has to do, and its workers. See pypool.h. */
#include "pypool.h"

#include "../../shim/common/cpython/process.h"

#define RESULTS_MAX 64u /* of one Pool */
#define LIST_SIZE 16 /* PyVarObject.ob_size */
#define DIGIT_MASK 0x3fffffffu

#define QUEUED_MAX 16u /* items of a queue that are looked at */

/* _queue.SimpleQueue: a list and where it begins; from 3.13 on a ring. */
#define SIMPLE_LIST 32
#define SIMPLE_BEGIN 40
#define RING_BEGIN 32
#define RING_ITEMS 40
#define RING_ROOM 48
#define RING_COUNT 56

/* The lowest digit of an int that is not zero. */
static uint64_t small_int(const struct cpython *py, uint64_t object)
{
	return object && cpython_is_a(py, object, "int") ?
		       cpython_member(py, object, CPYTHON_INT_VALUE) & DIGIT_MASK :
		       0;
}

/* At least so many pieces of work have no result yet. */
static uint64_t count_results(const struct cpython *py, uint64_t cache)
{
	uint64_t result[RESULTS_MAX], left = 0;
	unsigned count = cpython_dict_values(py, cache, result, RESULTS_MAX);

	for (unsigned i = 0; i < count; i++) {
		if (result[i] && cpython_is_a(py, result[i], "ApplyResult"))
			left++;
		else if (result[i] && cpython_is_a(py, result[i], "MapResult"))
			left += small_int(py, cpython_attribute(py, result[i], "_number_left"));
	}
	return left;
}

/* A Pool of processes or threads. */
static bool pool_is_short(const struct cpython *py, uint64_t pool)
{
	uint64_t workers = cpython_attribute(py, pool, "_pool"),
		 cache = cpython_attribute(py, pool, "_cache");

	return workers && cache &&
	       cpython_string_is(py, cpython_attribute(py, pool, "_state"), "CLOSE") &&
	       cpython_is_a(py, workers, "list") &&
	       count_results(py, cache) > cpython_member(py, workers, LIST_SIZE);
}

struct ring {
	uint64_t items, room, begin, count;
};

static struct ring ring_of(const struct cpython *py, uint64_t queue)
{
	uint64_t list, begin;

	if (py->at.minor >= 13)
		return (struct ring){.items = cpython_member(py, queue, RING_ITEMS),
				     .room = cpython_member(py, queue, RING_ROOM),
				     .begin = cpython_member(py, queue, RING_BEGIN),
				     .count = cpython_member(py, queue, RING_COUNT)};
	list = cpython_member(py, queue, SIMPLE_LIST);
	begin = cpython_member(py, queue, SIMPLE_BEGIN);
	return (struct ring){.items = cpython_member(py, list, CPYTHON_LIST_ITEMS),
			     .room = UINT64_MAX,
			     .begin = begin,
			     .count = cpython_member(py, list, LIST_SIZE) - begin};
}

/* The code that a task of a ThreadPoolExecutor runs; 0: unknown, as of what is written in C. */
static uint64_t code_of_task(const struct cpython *py, uint64_t item)
{
	uint64_t task = py->at.minor >= 14 ? cpython_attribute(py, item, "task") : 0;

	return cpython_code_called(py, task ? cpython_peek_word(py, task + py->at.tuple_items) :
					      cpython_attribute(py, item, "fn"));
}

/*
 * Of a ThreadPoolExecutor: what a worker has begun is no longer in the queue; each shutdown() adds None. More tasks like
 * one that runs `code` count for nothing: they would only wait as well. 0: all count.
 */
static bool tasks_are_left(const struct cpython *py, uint64_t queue, uint64_t code)
{
	uint64_t item;
	struct ring ring;

	if (!queue || !cpython_is_a(py, queue, "_queue.SimpleQueue"))
		return false;
	ring = ring_of(py, queue);
	for (uint64_t i = 0; ring.items && ring.room && i < ring.count && i < QUEUED_MAX; i++) {
		item = cpython_peek_word(py, ring.items + (ring.begin + i) % ring.room * 8);
		if (item && cpython_is_a(py, item, "_WorkItem") &&
		    (!code || code_of_task(py, item) != code))
			return true;
	}
	return false;
}

static uint64_t dict_used(const struct cpython *py, uint64_t object, const char *name)
{
	uint64_t dict = cpython_attribute(py, object, name);

	return dict && cpython_is_a(py, dict, "dict") ?
		       cpython_member(py, dict, CPYTHON_DICT_USED) :
		       0;
}

static bool processes_are_short(const struct cpython *py, uint64_t executor)
{
	uint64_t workers = dict_used(py, executor, "_processes");

	return workers && dict_used(py, executor, "_pending_work_items") > workers;
}

/* The worker's frame was given its queue, from 3.14 on behind a context. */
static uint64_t queue_of_worker(const struct cpython *py, const struct frame *frame)
{
	return frame_local(py, frame, py->at.minor >= 14 ? 2 : 1);
}

#define WORKER_LIMIT 4 /* maxtasks, among the arguments of worker() */

/* The innermost frame of that function. */
static bool find_frame(const struct cpython *py, uint64_t top, const char *function,
		       const char *file, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, frame))
		if (frame_is(py, frame, function, file))
			return true;
	return false;
}

bool pypool_works_on(const struct cpython *py, uint64_t top)
{
	struct frame frame;

	return find_frame(py, top, "worker", "multiprocessing/pool.py", &frame) &&
	       frame_local(py, &frame, WORKER_LIMIT) == py->none;
}

bool pypool_is_queued(const struct cpython *py, uint64_t top)
{
	struct frame frame;

	return find_frame(py, top, "_worker", "concurrent/futures/thread.py", &frame) &&
	       tasks_are_left(py, queue_of_worker(py, &frame), 0);
}

bool pypool_is_short(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;
	uint64_t task = 0;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame)) {
		if (frame_is(py, &frame, "join", "multiprocessing/pool.py"))
			return pool_is_short(py, frame_local(py, &frame, 0));
		if (frame_is(py, &frame, "shutdown", "concurrent/futures/thread.py"))
			return tasks_are_left(
				py,
				cpython_attribute(py, frame_local(py, &frame, 0), "_work_queue"),
				0);
		if (frame_is(py, &frame, "_worker", "concurrent/futures/thread.py"))
			return task && tasks_are_left(py, queue_of_worker(py, &frame), task);
		if (!frame_is(py, &frame, "run", "concurrent/futures/thread.py"))
			task = frame.code;
		if (frame_is(py, &frame, "shutdown", "concurrent/futures/process.py"))
			return processes_are_short(py, frame_local(py, &frame, 0));
	}
	return false;
}
