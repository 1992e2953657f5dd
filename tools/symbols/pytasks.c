/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows a task of asyncio from its coroutine inwards: each suspended coroutine has what it awaits
 * on top of its value stack. Objects are recognised by the names of their types; the offsets below
 * are from CPython's Include/internal/pycore_frame.h and Modules/_asynciomodule.c.
 */
#include "pytasks.h"

#include "../../shim/common/cpython/coroutine.h"
#include "../../shim/common/cpython/with.h"
#include "pyfailed.h"

#define DEPTH_MAX 32u /* coroutines in a text */
#define VISITS_MAX 512u
#define TASK_WORDS 32u /* of a TaskObj, in which its coroutine is looked for */
#define CHILDREN_MAX 64u
#define TASKS_MAX 256u /* of all loops, of which */
#define WAITERS_MAX 32u /* wait for a lock */
#define LOCKS_MAX 8u /* that one of them has */

#define FIRST_WORD \
	16 /* behind the head: FutureIter's future, a Future's loop, what a weak reference refers to */
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
	bool alone; /* only through a task that is awaited by itself */
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

static unsigned items_of_set(const struct cpython *py, uint64_t set, uint64_t *item, unsigned most)
{
	uint64_t mask = cpython_member(py, set, SET_MASK);
	uint64_t table = cpython_member(py, set, SET_TABLE), key;
	unsigned count = 0;

	for (uint64_t i = 0; i <= mask && i < VISITS_MAX && count < most; i++)
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
	       follow_any(path, task, items_of_set(path->py, set, task, CHILDREN_MAX));
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
	if (!follow_task(path, future) && !path->alone)
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
			if (!path->alone)
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

/* ---- tasks that wait for each other's locks ---- */

#define LOCKS_FILE "asyncio/locks.py"

/* A task that waits for an asyncio.Lock, and the locks of the blocks that it is in. */
struct waiter {
	uint64_t task, wants, has[LOCKS_MAX];
	unsigned count;
};

static bool frame_at(const struct path *path, unsigned i, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, path->py, i < path->count ? path->frame[i] : 0);
	return walk_on(&walk, frame);
}

/* Whether a block may be left by an exception of its own: a time limit, or what a generator does. */
static bool may_be_cancelled(const struct cpython *py, const struct with_block *block)
{
	return with_exit_is(py, block, "", "timeouts.py") ||
	       with_exit_is(py, block, "", "async_timeout/__init__.py") ||
	       with_exit_is(py, block, "", "anyio/_backends/_asyncio.py") ||
	       with_exit_is(py, block, "__exit__", "contextlib.py");
}

/* From 3.12 on the __aexit__ of a block may stand on the stack while its __aenter__ is awaited. */
static bool is_entered(const struct path *path, unsigned i, uint64_t lock)
{
	struct frame frame;

	return path->py->at.minor < 12 || !frame_at(path, i + 1, &frame) ||
	       !frame_is(path->py, &frame, "__aenter__", LOCKS_FILE) ||
	       frame_local(path->py, &frame, 0) != lock;
}

/* The locks of the blocks of one coroutine; false: it may be cancelled. */
static bool add_locks(const struct path *path, unsigned i, struct waiter *to)
{
	struct with_block block[WITH_MAX];
	struct frame frame;
	unsigned count = frame_at(path, i, &frame) ? with_blocks(path->py, &frame, block) : 0;

	for (unsigned k = 0; k < count; k++) {
		if (may_be_cancelled(path->py, &block[k]))
			return false;
		if (with_exit_is(path->py, &block[k], "__aexit__", LOCKS_FILE) &&
		    (k + 1 < count || is_entered(path, i, block[k].self)) && to->count < LOCKS_MAX)
			to->has[to->count++] = block[k].self;
	}
	return true;
}

static bool waits_for_lock(const struct cpython *py, uint64_t task, struct waiter *to)
{
	struct path path = {.py = py, .alone = true};
	struct frame frame;

	*to = (struct waiter){.task = task};
	if (!follow_task(&path, task) || !awaits_lock(&path) ||
	    !frame_at(&path, path.count - 1, &frame))
		return false;
	to->wants = frame_local(py, &frame, 0);
	for (unsigned i = 0; i < path.count; i++)
		if (!add_locks(&path, i, to))
			return false;
	return cpython_is_a(py, to->wants, "Lock");
}

/* The waiter that has the lock which this one wants; `count`: none. */
static unsigned holder_of(const struct waiter *waiter, unsigned count, unsigned i)
{
	for (unsigned k = 0; k < count; k++)
		for (unsigned n = 0; n < waiter[k].count; n++)
			if (waiter[k].has[n] == waiter[i].wants)
				return k;
	return count;
}

/* The tasks of all loops that have not ended, up to 3.13 in a WeakSet: how many. */
static unsigned all_tasks(const struct cpython *py, uint64_t modules, uint64_t *task)
{
	const char *name = py->at.minor < 12 ? "_all_tasks" : "_scheduled_tasks";
	uint64_t module = cpython_dict_search(py, modules, "asyncio.tasks"),
		 names = module ? cpython_member(py, module, CPYTHON_MODULE_DICT) : 0,
		 all = cpython_dict_search(py, names, name),
		 set = all ? cpython_attribute(py, all, "data") : 0;
	unsigned count = cpython_is_a(py, set, "set") ? items_of_set(py, set, task, TASKS_MAX) : 0;

	for (unsigned i = 0; i < count; i++)
		task[i] = cpython_member(py, task[i], FIRST_WORD);
	return count < TASKS_MAX ? count : 0;
}

/* A task that waits for a lock that it has itself, or in a circle of such tasks; 0: there is none. */
static uint64_t circled(const struct cpython *py, uint64_t modules, uint64_t loop)
{
	uint64_t task[TASKS_MAX];
	struct waiter waiter[WAITERS_MAX];
	unsigned tasks = all_tasks(py, modules, task), count = 0, at;

	for (unsigned i = 0; i < tasks && count < WAITERS_MAX; i++)
		count += cpython_member(py, task[i], FIRST_WORD) == loop &&
			 waits_for_lock(py, task[i], &waiter[count]);
	for (unsigned i = 0; i < count && count < WAITERS_MAX; i++) {
		at = holder_of(waiter, count, i);
		for (unsigned k = 0; k < count && at < count && at != i; k++)
			at = holder_of(waiter, count, at);
		if (at == i)
			return waiter[i].task;
	}
	return 0;
}

/* ---- loops ---- */

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
static uint64_t runner_task(const struct cpython *py, const struct frame *runner)
{
	for (unsigned i = 0; i < RUNNER_LOCALS; i++)
		if (cpython_is_a(py, frame_local(py, runner, i), "_asyncio.Task"))
			return frame_local(py, runner, i);
	return 0;
}

/* The loop that a thread runs, if it waits there, in a selector or in C; 0: it does something else. */
static uint64_t loop_of(const struct cpython *py, uint64_t top, bool *in_c)
{
	struct frame frame;
	struct walk walk;
	uint64_t loop = waiting_loop(py, top, &walk);

	*in_c = !loop;
	if (!loop && in_runner(py, top, &frame))
		loop = cpython_attribute(py, frame_local(py, &frame, 0), "_loop");
	return loop;
}

/* A task of that loop which never goes on; 0: none is known. */
static uint64_t stuck_task(const struct cpython *py, const struct state *state)
{
	uint64_t modules = cpython_peek_word(py, state->interp + py->at.interp_modules);
	bool in_c;
	uint64_t loop = loop_of(py, state->frame, &in_c);

	return loop ? circled(py, modules, loop) : 0;
}

/* Such a task, else the one for which the thread runs its loop. */
static uint64_t main_task(const struct cpython *py, const struct state *state)
{
	uint64_t stuck = stuck_task(py, state);
	struct frame frame;
	struct walk walk;

	if (stuck)
		return stuck;
	if (!waiting_loop(py, state->frame, &walk))
		return in_runner(py, state->frame, &frame) ? runner_task(py, &frame) : 0;
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

enum pytasks_fault pytasks_fault(const struct cpython *py, const struct state *state)
{
	bool in_c;
	uint64_t loop = loop_of(py, state->frame, &in_c);

	if (!loop)
		return PYTASKS_NONE;
	return ready_count(py, loop, in_c) > 0 ? PYTASKS_UNWOKEN :
	       stuck_task(py, state)	       ? PYTASKS_STUCK :
						 PYTASKS_NONE;
}

/* The coroutines that a thread waits for. False: there are none, or it is not understood what the innermost waits for. */
static bool main_path(const struct cpython *py, const struct state *state, struct path *path)
{
	uint64_t task = main_task(py, state);

	*path = (struct path){.py = py};
	return task && follow_task(path, task);
}

size_t pytasks_stack(const struct cpython *py, const struct state *state, char *text, size_t bytes)
{
	size_t length = 0;
	struct path path;
	struct walk walk;

	*text = '\0';
	if (!main_path(py, state, &path))
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
	in_task = main_path(py, state, &path);
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

	if (main_path(py, state, &path) &&
	    cpython_exception_read(py, &exception, handled(&path, &frame)))
		return cpython_cleans_up(py, &exception, frame, state->interp);
	if (!cpython_exception_read(py, &exception, cpython_handled(py, at)) ||
	    cpython_exception_is_parents(py, &exception, state->frame))
		return 0;
	return cpython_cleans_up(py, &exception, state->frame, state->interp);
}
