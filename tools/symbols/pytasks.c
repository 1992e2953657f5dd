/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event loops of asyncio: the task that one is run for, the tasks that never go on, and callbacks that nobody runs. Objects are
 * recognised by the names of their types and attributes.
 */
#include "pytasks.h"

#include "../../shim/common/cpython/coroutine.h"
#include "../../shim/common/cpython/with.h"
#include "pyfailed.h"
#include "pypath.h"

#define TASKS_MAX 256u /* of all loops, of which */
#define WAITERS_MAX 32u /* wait for a lock */
#define LOCKS_MAX 8u /* that one of them has */

#define LOOP_WORDS 64u /* of uvloop's Loop, in which its deque is looked for */
#define RUNNER_LOCALS 6u /* among which is its task */
#define VARIABLES 8u /* of a coroutine, among which is what it awaits */

/* ---- tasks that wait for each other's locks ---- */

/* A task that waits for an asyncio.Lock, and the locks of the blocks that it is in. */
struct waiter {
	uint64_t task, wants, has[LOCKS_MAX];
	unsigned count;
};

/* Whether a block may be left by an exception of its own: a time limit, or what a generator does. */
static bool may_be_cancelled(const struct cpython *py, const struct with_block *block)
{
	return with_exit_is(py, block, "", "timeouts.py") ||
	       with_exit_is(py, block, "", "async_timeout/__init__.py") ||
	       with_exit_is(py, block, "", "anyio/_backends/_asyncio.py") ||
	       with_exit_is(py, block, "__exit__", "contextlib.py");
}

/* From 3.12 on the __aexit__ of a block may stand on the stack while its __aenter__ is awaited. */
static bool is_entered(const struct pypath *path, unsigned i, uint64_t lock)
{
	struct frame frame;

	return path->py->at.minor < 12 || !pypath_frame(path, i + 1, &frame) ||
	       !frame_is(path->py, &frame, "__aenter__", PYPATH_LOCKS) ||
	       frame_local(path->py, &frame, 0) != lock;
}

/* The locks of the blocks of one coroutine; false: it may be cancelled. */
static bool add_locks(const struct pypath *path, unsigned i, struct waiter *to)
{
	struct with_block block[WITH_MAX];
	struct frame frame;
	unsigned count = pypath_frame(path, i, &frame) ? with_blocks(path->py, &frame, block) : 0;

	for (unsigned k = 0; k < count; k++) {
		if (may_be_cancelled(path->py, &block[k]))
			return false;
		if (with_exit_is(path->py, &block[k], "__aexit__", PYPATH_LOCKS) &&
		    (k + 1 < count || is_entered(path, i, block[k].self)) && to->count < LOCKS_MAX)
			to->has[to->count++] = block[k].self;
	}
	return true;
}

static bool waits_for_lock(const struct cpython *py, uint64_t task, struct waiter *to)
{
	struct pypath path = {.py = py, .alone = true};
	struct frame frame;

	*to = (struct waiter){.task = task};
	if (!pypath_follow(&path, task) || !pypath_awaits_lock(&path) ||
	    !pypath_frame(&path, path.count - 1, &frame))
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

/* The tasks of a loop, up to 3.13 in a WeakSet of those of all loops: how many. */
static unsigned tasks_of(const struct cpython *py, const struct state *state, uint64_t loop,
			 uint64_t *task)
{
	uint64_t modules = cpython_peek_word(py, state->interp + py->at.interp_modules);
	const char *name = py->at.minor < 12 ? "_all_tasks" : "_scheduled_tasks";
	uint64_t module = cpython_dict_search(py, modules, "asyncio.tasks"),
		 names = module ? cpython_member(py, module, CPYTHON_MODULE_DICT) : 0,
		 weak = cpython_dict_search(py, names, name),
		 set = weak ? cpython_attribute(py, weak, "data") : 0;
	unsigned all = loop && cpython_is_a(py, set, "set") ? pypath_set(py, set, task, TASKS_MAX) :
							      0;
	unsigned count = 0;

	for (unsigned i = 0; i < all && all < TASKS_MAX; i++) {
		task[count] = cpython_member(py, task[i], PYPATH_FIRST_WORD);
		count += cpython_member(py, task[count], PYPATH_FIRST_WORD) == loop;
	}
	return count;
}

/* A task that waits for a lock that it has itself, or in a circle of such tasks; 0: there is none. */
static uint64_t circled(const struct cpython *py, const struct state *state, uint64_t loop)
{
	uint64_t task[TASKS_MAX];
	struct waiter waiter[WAITERS_MAX];
	unsigned tasks = tasks_of(py, state, loop, task), count = 0, at;

	for (unsigned i = 0; i < tasks && count < WAITERS_MAX; i++)
		count += waits_for_lock(py, task[i], &waiter[count]);
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
	bool in_c;

	return circled(py, state, loop_of(py, state->frame, &in_c));
}

/* Whether a task of that loop has failed, and nobody has asked why. */
static bool any_failed(const struct cpython *py, const struct state *state,
		       struct cpython_exception *exception)
{
	uint64_t task[TASKS_MAX];
	bool in_c;
	unsigned tasks = tasks_of(py, state, loop_of(py, state->frame, &in_c), task);

	for (unsigned i = 0; i < tasks; i++)
		if (pyfailed_is(py, task[i], exception))
			return true;
	return false;
}

/*
 * A task of that loop where one has failed, and each that is left waits for what another one is to do: none may be there to
 * park. 0: there is none.
 */
static uint64_t left_task(const struct cpython *py, const struct state *state, uint64_t loop)
{
	struct cpython_exception exception;
	uint64_t task[TASKS_MAX], found = 0;
	unsigned tasks = tasks_of(py, state, loop, task);

	for (unsigned i = 0; i < tasks; i++) {
		struct pypath path = {.py = py};
		bool known = pypath_follow(&path, task[i]);

		if (path.count && !(known && pypath_awaits_another(&path)))
			return 0;
		found = path.count ? task[i] : found;
	}
	return any_failed(py, state, &exception) ? found : 0;
}

/* Such a task, else the one for which the thread runs its loop. */
static uint64_t main_task(const struct cpython *py, const struct state *state)
{
	uint64_t stuck = stuck_task(py, state), loop;
	struct frame frame;
	struct walk walk;

	if (stuck)
		return stuck;
	loop = waiting_loop(py, state->frame, &walk);
	if (!loop)
		return in_runner(py, state->frame, &frame) ? runner_task(py, &frame) : 0;
	while (walk_on(&walk, &frame))
		if (frame_is(py, &frame, "run_until_complete", "asyncio/base_events.py"))
			return frame_local(py, &frame, 1);
	return left_task(py, state, loop);
}

/* How many callbacks a loop is to run: the length of `_ready`, which is a member of uvloop's. */
static int64_t ready_count(const struct cpython *py, uint64_t loop, bool in_c)
{
	uint64_t word[LOOP_WORDS], ready = in_c ? 0 : cpython_attribute(py, loop, "_ready");

	if (in_c && cpython_peek(py, word, loop, sizeof(word)))
		for (unsigned i = PYPATH_FIRST_WORD / 8; i < LOOP_WORDS && !ready; i++)
			ready = cpython_is_a(py, word[i], "collections.deque") ? word[i] : 0;
	return cpython_is_a(py, ready, "collections.deque") ?
		       (int64_t)cpython_member(py, ready, CPYTHON_SIZE) :
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
static bool main_path(const struct cpython *py, const struct state *state, struct pypath *path)
{
	uint64_t task = main_task(py, state);

	*path = (struct pypath){.py = py};
	return task && pypath_follow(path, task);
}

size_t pytasks_stack(const struct cpython *py, const struct state *state, char *text, size_t bytes)
{
	size_t length = 0;
	struct pypath path;
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
static uint64_t handled(const struct pypath *path, uint64_t *frame)
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
static bool at_hand(const struct pypath *path, uint64_t top, struct cpython_exception *exception)
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
	for (unsigned i = 0; i < PYPATH_DEPTH && walk_on(&walk, &frame); i++)
		if (pyfailed_find(py, &frame, exception))
			return true;
	return false;
}

/* Whether the innermost coroutine awaits a Future that is a variable of it, so that others may know it. */
static bool awaits_variable(const struct pypath *path)
{
	const struct cpython *py = path->py;
	struct frame frame;
	uint64_t stack;

	if (!pypath_frame(path, path->count - 1, &frame))
		return false;
	stack = py->at.minor < 11 ? cpython_peek_word(py, frame.at + py->at.frame_stack) :
				    frame.values;
	for (unsigned i = 0; i < VARIABLES && frame.locals + 8ull * i < stack; i++)
		if (frame_local(py, &frame, i) == path->future)
			return cpython_is_a(py, path->future, "_asyncio.Future");
	return false;
}

bool pytasks_lacks(const struct cpython *py, const struct state *state, bool by_variable)
{
	struct cpython_exception exception;
	struct pypath path;

	return main_path(py, state, &path) &&
	       ((by_variable && awaits_variable(&path)) ||
		at_hand(&path, state->frame, &exception) || any_failed(py, state, &exception));
}

size_t pytasks_raised(const struct cpython *py, uint64_t at, const struct state *state,
		      enum cpython_tell tell, char *text, size_t bytes)
{
	struct cpython_exception exception;
	struct pypath path;
	uint64_t frame;
	size_t length;
	bool in_task;

	if (tell == CPYTHON_TELL_NOTHING)
		return 0;
	in_task = main_path(py, state, &path);
	if (in_task && cpython_exception_read(py, &exception, handled(&path, &frame)))
		return cpython_raised_text(py, &exception, "handles", tell, text, bytes);
	length = cpython_raised(py, at, state, tell, text, bytes);
	return !length && (at_hand(&path, state->frame, &exception) ||
			   any_failed(py, state, &exception)) ?
		       cpython_raised_text(py, &exception, "failed", tell, text, bytes) :
		       length;
}

uint64_t pytasks_cleans(const struct cpython *py, uint64_t at, const struct state *state)
{
	struct cpython_exception exception;
	struct pypath path;
	uint64_t frame;

	if (main_path(py, state, &path) &&
	    cpython_exception_read(py, &exception, handled(&path, &frame)))
		return cpython_cleans_up(py, &exception, frame, state->interp);
	if (!cpython_exception_read(py, &exception, cpython_handled(py, at)) ||
	    cpython_exception_is_parents(py, &exception, state->frame))
		return 0;
	return cpython_cleans_up(py, &exception, state->frame, state->interp);
}
