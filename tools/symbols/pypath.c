/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each suspended coroutine has what it awaits on top of its value stack. Objects are recognised by the names of their types; the
 * offsets below are from CPython's Include/internal/pycore_frame.h and Modules/_asynciomodule.c.
 */
#include "pypath.h"

#include "../../shim/common/cpython/coroutine.h"

#define VISITS_MAX 512u
#define TASK_WORDS 32u /* of a TaskObj, in which its coroutine is looked for */
#define CHILDREN_MAX 64u

#define SET_MASK 32
#define SET_TABLE 40
#define SET_ENTRY 16

#define FIRST_DEEPER 15 /* version with another word above what a frame awaits */
#define STACK_TOP 64 /* from 3.11 on */
#define STACK_TOP_OLD 72 /* 3.8, 3.9 */
#define STACK_DEPTH_310 80
#define STACK_VERSION 14 /* has a pointer there */

/* ---- coroutines ---- */

/* What a suspended frame awaits. From 3.15 on another word lies above it. */
static uint64_t awaited_by(const struct cpython *py, uint64_t frame)
{
	uint64_t bottom = py->at.minor < 11 ? cpython_peek_word(py, frame + py->at.frame_stack) :
					      frame + py->at.frame_locals;
	uint64_t top;

	if (py->at.minor < 10)
		top = cpython_peek_word(py, frame + STACK_TOP_OLD);
	else if (py->at.minor < 11)
		top = bottom + 8 * (uint32_t)cpython_peek_word(py, frame + STACK_DEPTH_310);
	else if (py->at.minor < STACK_VERSION)
		top = bottom + 8 * (uint32_t)cpython_peek_word(py, frame + STACK_TOP);
	else
		top = cpython_peek_word(py, frame + STACK_TOP);
	top -= py->at.minor < FIRST_DEEPER ? 8 : 16;
	return top >= bottom ? frame_untagged(py, cpython_peek_word(py, top)) : 0;
}

/* ---- several tasks ---- */

unsigned pypath_set(const struct cpython *py, uint64_t set, uint64_t *item, unsigned most)
{
	uint64_t mask = cpython_member(py, set, SET_MASK);
	uint64_t table = cpython_member(py, set, SET_TABLE), key;
	unsigned count = 0;

	for (uint64_t i = 0; i <= mask && i < VISITS_MAX && count < most; i++)
		if ((key = cpython_peek_word(py, table + i * SET_ENTRY)))
			item[count++] = key;
	return count;
}

bool pypath_frame(const struct pypath *path, unsigned i, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, path->py, i < path->count ? path->frame[i] : 0);
	return walk_on(&walk, frame);
}

bool pypath_awaits_lock(const struct pypath *path)
{
	struct frame frame;

	return pypath_frame(path, path->count - 1, &frame) &&
	       frame_is(path->py, &frame, "acquire", PYPATH_LOCKS);
}

bool pypath_awaits_another(const struct pypath *path)
{
	static const char *const waits[] = {"get", "put", "join"};
	struct frame frame;

	if (pypath_awaits_lock(path))
		return true;
	for (unsigned i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		for (unsigned k = 1; k <= 2 && k <= path->count; k++)
			if (pypath_frame(path, path->count - k, &frame) &&
			    frame_is(path->py, &frame, waits[i], "asyncio/queues.py"))
				return true;
	return false;
}

/* Follows a task that waits for a lock, or else the first that waits. */
static bool follow_any(struct pypath *path, const uint64_t *task, unsigned count)
{
	unsigned begin = path->count, first = count;

	for (unsigned i = 0; i < count; i++) {
		path->count = begin;
		if (!pypath_follow(path, task[i]))
			continue;
		if (pypath_awaits_lock(path))
			return true;
		first = first == count ? i : first;
	}
	path->count = begin;
	return first < count && pypath_follow(path, task[first]);
}

static bool follow_list(struct pypath *path, uint64_t list)
{
	uint64_t task[CHILDREN_MAX];

	return cpython_is_a(path->py, list, "list") &&
	       follow_any(path, task, cpython_list_items(path->py, list, task, CHILDREN_MAX));
}

static bool follow_set(struct pypath *path, uint64_t set)
{
	uint64_t task[CHILDREN_MAX];

	return cpython_is_a(path->py, set, "set") &&
	       follow_any(path, task, pypath_set(path->py, set, task, CHILDREN_MAX));
}

/* ---- from a task inwards ---- */

/* The functions of asyncio that wait for several tasks by a future of their own. */
static void follow_several(struct pypath *path, uint64_t at)
{
	const struct cpython *py = path->py;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, at);
	if (!walk_on(&walk, &frame))
		return;
	if (frame_is(py, &frame, "_wait", "asyncio/tasks.py"))
		follow_set(path, frame_local(py, &frame, 0));
	else if (frame_is(py, &frame, "__aexit__", "asyncio/taskgroups.py") ||
		 frame_is(py, &frame, "_aexit", "asyncio/taskgroups.py")) /* 3.13 on */
		follow_set(path, cpython_attribute(py, frame_local(py, &frame, 0), "_tasks"));
}

/* A task, or gather's future; anything else is completed by code that is not known. */
static void follow_future(struct pypath *path, uint64_t future)
{
	path->future = future;
	if (!pypath_follow(path, future) && !path->alone)
		follow_list(path, cpython_attribute(path->py, future, "_children"));
}

/* False: it is not suspended. */
static bool follow_coroutine(struct pypath *path, uint64_t coroutine)
{
	const struct cpython *py = path->py;
	uint64_t frame, awaited;

	while ((frame = cpython_suspended(py, coroutine))) {
		if (path->count == PYPATH_DEPTH || path->visits++ == VISITS_MAX)
			return false;
		path->coroutine[path->count] = coroutine;
		path->frame[path->count++] = frame;
		awaited = awaited_by(py, frame);
		coroutine = awaited;
		if (cpython_is_a(py, awaited, "async_generator_asend"))
			coroutine = cpython_member(py, awaited, PYPATH_FIRST_WORD);
		if (cpython_is_coroutine(py, coroutine))
			continue;
		if (cpython_is_a(py, awaited, "_asyncio.FutureIter")) {
			if (!path->alone)
				follow_several(path, frame);
			follow_future(path, cpython_member(py, awaited, PYPATH_FIRST_WORD));
		}
		return true;
	}
	return false;
}

bool pypath_follow(struct pypath *path, uint64_t task)
{
	uint64_t word[TASK_WORDS];

	if (!cpython_is_a(path->py, task, "_asyncio.Task") ||
	    !cpython_peek(path->py, word, task, sizeof(word)))
		return false;
	for (unsigned i = PYPATH_FIRST_WORD / 8; i < TASK_WORDS; i++)
		if (cpython_is_coroutine(path->py, word[i]))
			return follow_coroutine(path, word[i]);
	return false;
}
