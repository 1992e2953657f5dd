/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows a task of asyncio from its coroutine inwards: each suspended coroutine has what it awaits
 * on top of its value stack. Objects are recognised by the names of their types; the offsets below
 * are from CPython's Include/internal/pycore_frame.h and Modules/_asynciomodule.c.
 */
#include "pytasks.h"

#include "../../shim/common/cpython/coroutine.h"
#include "pyfailed.h"

#define DEPTH_MAX 32u /* coroutines in a text */
#define VISITS_MAX 512u
#define TASK_WORDS 32u /* of a TaskObj, in which its coroutine is looked for */
#define CHILDREN_MAX 64u

#define FIRST_WORD 16 /* behind the head: FutureIter's future, an asend's generator */
#define LIST_SIZE 16
#define DEQUE_SIZE 16
#define LOOP_WORDS 64u /* of uvloop's Loop, in which its deque is looked for */
#define RUNNER_LOCALS 6u /* among which is its task */
#define SET_MASK 32
#define SET_TABLE 40
#define SET_ENTRY 16

#define FIRST_DEEPER 15 /* version with another word above what a frame awaits */
#define STACK_TOP 64 /* from 3.11 on */
#define STACK_TOP_OLD 72 /* 3.8, 3.9 */
#define STACK_DEPTH_310 80
#define STACK_VERSION 14 /* has a pointer there */

struct path {
	const struct cpython *py;
	uint64_t frame[DEPTH_MAX], coroutine[DEPTH_MAX]; /* outermost first */
	unsigned count, visits;
};

static bool follow_task(struct path *path, uint64_t task);

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

static unsigned items_of_list(const struct cpython *py, uint64_t list, uint64_t *item)
{
	uint64_t count = cpython_member(py, list, LIST_SIZE);
	uint64_t at = cpython_member(py, list, CPYTHON_LIST_ITEMS);

	count = count < CHILDREN_MAX ? count : CHILDREN_MAX;
	return cpython_peek(py, item, at, count * sizeof(*item)) ? (unsigned)count : 0;
}

static unsigned items_of_set(const struct cpython *py, uint64_t set, uint64_t *item)
{
	uint64_t mask = cpython_member(py, set, SET_MASK);
	uint64_t table = cpython_member(py, set, SET_TABLE), key;
	unsigned count = 0;

	for (uint64_t i = 0; i <= mask && i < VISITS_MAX && count < CHILDREN_MAX; i++)
		if ((key = cpython_peek_word(py, table + i * SET_ENTRY)))
			item[count++] = key;
	return count;
}

static bool awaits_lock(const struct path *path)
{
	struct frame frame;
	struct walk walk;

	if (!path->count)
		return false;
	walk_open(&walk, path->py, path->frame[path->count - 1]);
	return walk_on(&walk, &frame) && frame_is(path->py, &frame, "acquire", "asyncio/locks.py");
}

/* Follows a task that waits for a lock, or else the first that waits. */
static bool follow_any(struct path *path, const uint64_t *task, unsigned count)
{
	unsigned begin = path->count, first = count;

	for (unsigned i = 0; i < count; i++) {
		path->count = begin;
		if (!follow_task(path, task[i]))
			continue;
		if (awaits_lock(path))
			return true;
		first = first == count ? i : first;
	}
	path->count = begin;
	return first < count && follow_task(path, task[first]);
}

static bool follow_list(struct path *path, uint64_t list)
{
	uint64_t task[CHILDREN_MAX];

	return cpython_is_a(path->py, list, "list") &&
	       follow_any(path, task, items_of_list(path->py, list, task));
}

static bool follow_set(struct path *path, uint64_t set)
{
	uint64_t task[CHILDREN_MAX];

	return cpython_is_a(path->py, set, "set") &&
	       follow_any(path, task, items_of_set(path->py, set, task));
}

/* ---- from a task inwards ---- */

/* The functions of asyncio that wait for several tasks by a future of their own. */
static void follow_several(struct path *path, uint64_t at)
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
static void follow_future(struct path *path, uint64_t future)
{
	if (!follow_task(path, future))
		follow_list(path, cpython_attribute(path->py, future, "_children"));
}

/* False: it is not suspended. */
static bool follow_coroutine(struct path *path, uint64_t coroutine)
{
	const struct cpython *py = path->py;
	uint64_t frame, awaited;

	while ((frame = cpython_suspended(py, coroutine))) {
		if (path->count == DEPTH_MAX || path->visits++ == VISITS_MAX)
			return false;
		path->coroutine[path->count] = coroutine;
		path->frame[path->count++] = frame;
		awaited = awaited_by(py, frame);
		coroutine = awaited;
		if (cpython_is_a(py, awaited, "async_generator_asend"))
			coroutine = cpython_member(py, awaited, FIRST_WORD);
		if (cpython_is_coroutine(py, coroutine))
			continue;
		if (cpython_is_a(py, awaited, "_asyncio.FutureIter")) {
			follow_several(path, frame);
			follow_future(path, cpython_member(py, awaited, FIRST_WORD));
		}
		return true;
	}
	return false;
}

static bool follow_task(struct path *path, uint64_t task)
{
	uint64_t word[TASK_WORDS];

	if (!cpython_is_a(path->py, task, "_asyncio.Task") ||
	    !cpython_peek(path->py, word, task, sizeof(word)))
		return false;
	for (unsigned i = FIRST_WORD / 8; i < TASK_WORDS; i++)
		if (cpython_is_coroutine(path->py, word[i]))
			return follow_coroutine(path, word[i]);
	return false;
}

/* The loop that a thread runs, if it waits in its selector; `walk` has come to its frame. 0: it does something else. */
static uint64_t waiting_loop(const struct cpython *py, uint64_t top, struct walk *walk)
{
	struct frame frame;

	walk_open(walk, py, top);
	if (!walk_on(walk, &frame) || !frame_is(py, &frame, "select", "selectors.py"))
		return 0;
	while (walk_on(walk, &frame))
		if (frame_is(py, &frame, "_run_once", "asyncio/base_events.py"))
			return frame_local(py, &frame, 0);
	return 0;
}

/* Whether a thread is in asyncio.Runner.run (3.11 on), which called a loop that is written in C, as uvloop's. */
static bool in_runner(const struct cpython *py, uint64_t top, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, py, top);
	return walk_on(&walk, frame) && frame_is(py, frame, "run", "asyncio/runners.py");
}

/* The task of that loop: a local there. */
static uint64_t runner_task(const struct cpython *py, uint64_t top)
{
	struct frame frame;

	if (!in_runner(py, top, &frame))
		return 0;
	for (unsigned i = 0; i < RUNNER_LOCALS; i++)
		if (cpython_is_a(py, frame_local(py, &frame, i), "_asyncio.Task"))
			return frame_local(py, &frame, i);
	return 0;
}

/* The task for which a thread runs a loop that has nothing to do; 0: it does something else. */
static uint64_t main_task(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	if (!waiting_loop(py, top, &walk))
		return runner_task(py, top);
	while (walk_on(&walk, &frame))
		if (frame_is(py, &frame, "run_until_complete", "asyncio/base_events.py"))
			return frame_local(py, &frame, 1);
	return 0;
}

/* How many callbacks a loop is to run: the length of `_ready`, which is a member of uvloop's. */
static int64_t ready_count(const struct cpython *py, uint64_t loop, bool in_c)
{
	uint64_t word[LOOP_WORDS], ready = in_c ? 0 : cpython_attribute(py, loop, "_ready");

	if (in_c && cpython_peek(py, word, loop, sizeof(word)))
		for (unsigned i = FIRST_WORD / 8; i < LOOP_WORDS && !ready; i++)
			ready = cpython_is_a(py, word[i], "collections.deque") ? word[i] : 0;
	return cpython_is_a(py, ready, "collections.deque") ?
		       (int64_t)cpython_member(py, ready, DEQUE_SIZE) :
		       0;
}

bool pytasks_unwoken(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;
	uint64_t loop = waiting_loop(py, top, &walk);

	if (loop)
		return ready_count(py, loop, false) > 0;
	return in_runner(py, top, &frame) &&
	       ready_count(py, cpython_attribute(py, frame_local(py, &frame, 0), "_loop"), true) >
		       0;
}

/* The coroutines that a thread waits for. False: there are none, or it is not understood what the innermost waits for. */
static bool main_path(const struct cpython *py, uint64_t top, struct path *path)
{
	uint64_t task = main_task(py, top);

	*path = (struct path){.py = py};
	return task && follow_task(path, task);
}

size_t pytasks_stack(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	size_t length = 0;
	struct path path;
	struct walk walk;

	*text = '\0';
	if (!main_path(py, top, &path))
		return 0;
	while (path.count--)
		length += cpython_stack(py, path.frame[path.count], &walk, text + length,
					bytes - length);
	return length;
}

/* What the innermost coroutine that handles an exception handles, in `frame`; 0: none does. */
static uint64_t handled(const struct path *path, uint64_t *frame)
{
	uint64_t exception = 0;

	*frame = 0;
	for (unsigned i = path->count; !exception && i--;) {
		*frame = path->frame[i];
		exception = cpython_suspended_handles(path->py, path->coroutine[i], *frame);
	}
	return exception;
}

/* Among the variables of the coroutines that a thread waits for, or of its own frames. */
static bool at_hand(const struct path *path, uint64_t top, struct cpython_exception *exception)
{
	const struct cpython *py = path->py;
	struct frame frame;
	struct walk walk;

	for (unsigned i = path->count; i--;) {
		walk_open(&walk, py, path->frame[i]);
		if (walk_on(&walk, &frame) && pyfailed_find(py, &frame, exception))
			return true;
	}
	walk_open(&walk, py, top);
	for (unsigned i = 0; i < DEPTH_MAX && walk_on(&walk, &frame); i++)
		if (pyfailed_find(py, &frame, exception))
			return true;
	return false;
}

size_t pytasks_raised(const struct cpython *py, uint64_t at, const struct state *state,
		      enum cpython_tell tell, char *text, size_t bytes)
{
	struct cpython_exception exception;
	struct path path;
	uint64_t frame;
	size_t length;
	bool in_task;

	if (tell == CPYTHON_TELL_NOTHING)
		return 0;
	in_task = main_path(py, state->frame, &path);
	if (in_task && cpython_exception_read(py, &exception, handled(&path, &frame)))
		return cpython_raised_text(py, &exception, "handles", tell, text, bytes);
	length = cpython_raised(py, at, state, tell, text, bytes);
	return !length && at_hand(&path, state->frame, &exception) ?
		       cpython_raised_text(py, &exception, "failed", tell, text, bytes) :
		       length;
}

uint64_t pytasks_cleans(const struct cpython *py, uint64_t at, const struct state *state)
{
	struct cpython_exception exception;
	struct path path;
	uint64_t frame;

	if (main_path(py, state->frame, &path) &&
	    cpython_exception_read(py, &exception, handled(&path, &frame)))
		return cpython_cleans_up(py, &exception, frame, state->interp);
	if (!cpython_exception_read(py, &exception, cpython_handled(py, at)) ||
	    cpython_exception_is_parents(py, &exception, state->frame))
		return 0;
	return cpython_cleans_up(py, &exception, state->frame, state->interp);
}
