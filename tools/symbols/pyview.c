/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Python frames and objects of another process. */
#include "pyview.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../shim/common/cpython/at_hand.h"
#include "../../shim/common/cpython/name.h"
#include "../base/util.h"
#include "../proc/proc.h"
#include "pychild.h"
#include "pyended.h"
#include "pyfile.h"
#include "pygreenlets.h"
#include "pyhandler.h"
#include "pykept.h"
#include "pylock.h"
#include "pypool.h"

struct pyview {
	struct cpython py;
	const char *limit;
};

/* ---- finding CPython ---- */

static void pyview_take(struct pyview *view, const struct python_symbols *file, uint64_t start)
{
	uint64_t bias = start - file->load_vaddr, number = 0;
	struct cpython *py = &view->py;

	py->runtime = file->runtime + bias;
	py->type_type = file->type_type ? file->type_type + bias : 0;
	py->code_type = file->code_type + bias;
	py->unicode_type = file->unicode_type ? file->unicode_type + bias : 0;
	py->bytes_type = file->bytes_type ? file->bytes_type + bias : 0;
	py->none = file->none ? file->none + bias : 0;
	if (!file->version)
		py->version = 3u << 24 | file->minor << 16 | 0xf0;
	else if (py->peek(py, &number, file->version + bias, sizeof(number)) == sizeof(number))
		py->version = (uint32_t)number;
	else if (errno != ESRCH)
		view->limit = "process_vm_readv is not allowed";
}

static bool find(struct pyview *view, pid_t pid)
{
	struct python_symbols file;
	uint64_t start;

	*view = (struct pyview){.py = {.pid = pid, .peek = pykept_peek}};
	if (!pyfile_of(pid, &file, &start))
		return false;
	pyview_take(view, &file, start);
	if (!view->limit && !view->py.version)
		return false;
	if (!view->limit)
		view->limit = cpython_describe(&view->py);
	return true;
}

/* During a look each thread of a process asks for it many times. */
struct pyview *pyview_open(pid_t pid)
{
	static struct {
		uint32_t look;
		bool found;
		struct pyview view;
	} last;
	struct pyview *view;

	if (!last.look || last.look != kept_look() || last.view.py.pid != pid)
		last.found = find(&last.view, pid);
	last.look = kept_look();
	if (!last.found)
		return NULL;
	view = memory_get(sizeof(*view));
	*view = last.view;
	return view;
}

void pyview_finish(void)
{
	pyfiles_finish();
	pykept_finish();
	kept_finish();
}

/* ---- frames and waits ---- */

const char *pyview_limit(const struct pyview *view)
{
	return view->limit;
}

uint32_t pyview_version(const struct pyview *view)
{
	return view->py.version;
}

static uint64_t find_state(const struct pyview *view, uint64_t pthread, struct state *state)
{
	return view->limit ? 0 : pykept_thread(&view->py, pthread, state);
}

static uint64_t top_frame(const struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) ? state.frame : 0;
}

/* What a reader says of a thread's innermost frame, alone or with a lock, an object or a set of signals. */
#define ASK(type, name, reader)                                    \
	type name(struct pyview *view, uint64_t thread)            \
	{                                                          \
		return reader(&view->py, top_frame(view, thread)); \
	}
#define ASK_ABOUT(type, name, reader)                                  \
	type name(struct pyview *view, uint64_t thread, uint64_t of)   \
	{                                                              \
		return reader(&view->py, top_frame(view, thread), of); \
	}
#define ASK_LIST(type, name, reader, item)                                     \
	type name(struct pyview *view, uint64_t thread, item *list, type most) \
	{                                                                      \
		return reader(&view->py, top_frame(view, thread), list, most); \
	}
ASK(enum cpython_queue, pyview_awaited_queue, cpython_awaited_queue)
ASK(uint32_t, pyview_joined, cpython_joined)
ASK(uint32_t, pyview_joined_child, pychild_joined)
ASK(uint64_t, pyview_child_limit, pychild_limit)
ASK(bool, pyview_is_daemon, pychild_is_daemon)
ASK_LIST(size_t, pyview_process_name, pychild_name, char)
ASK(bool, pyview_pool_is_short, pypool_is_short)
ASK(bool, pyview_pool_is_queued, pypool_is_queued)
ASK(bool, pyview_pool_works_on, pypool_works_on)
ASK(uint64_t, pyview_semaphore, pylock_semaphore)
ASK(bool, pyview_lock_is_of_queue, pylock_is_of_queue)
ASK(bool, pyview_queue_lacks, pylock_queue_lacks)
ASK_ABOUT(uint32_t, pyview_lock_joined, pylock_joined)
ASK_ABOUT(uint64_t, pyview_handles, pyhandler_running)
ASK_ABOUT(bool, pyview_lock_in_with, pylock_in_with)
ASK_ABOUT(bool, pyview_in_with_of, pylock_in_with_of)
ASK_ABOUT(bool, pyview_lock_enters_shared, pylock_shared)
ASK(bool, pyview_names_release, pylock_names_release)
ASK_ABOUT(uint64_t, pyview_shared_lock, pylock_shared)
ASK_LIST(size_t, pyview_name, cpython_thread_name, char)
ASK_LIST(size_t, pyview_function, cpython_thread_function, char)
ASK_LIST(size_t, pyview_awaited_import, cpython_awaited_import, char)
ASK_LIST(unsigned, pyview_locks_in_with, pylock_all_in_with, uint64_t)
ASK_LIST(unsigned, pyview_awaited, cpython_awaited, uint64_t)
ASK_LIST(unsigned, pyview_task, cpython_task, uint64_t)

size_t pyview_stack(struct pyview *view, uint64_t pthread, char *text, size_t bytes)
{
	struct state state = {0};
	struct walk walk;
	size_t length = find_state(view, pthread, &state) ?
				pytasks_stack(&view->py, &state, text, bytes) :
				0;

	if (!length)
		length = pygreenlets_stack(&view->py, state.frame, text, bytes);
	return length + cpython_stack(&view->py, state.frame, &walk, text + length, bytes - length);
}

static enum cpython_tell tells;

void pyview_tells(enum cpython_tell tell)
{
	tells = tell;
}

size_t pyview_raised(struct pyview *view, uint64_t pthread, char *text, size_t bytes)
{
	struct state state;
	uint64_t at = find_state(view, pthread, &state);

	*text = '\0';
	return at ? pytasks_raised(&view->py, at, &state, tells, text, bytes) : 0;
}

uint64_t pyview_cleans(struct pyview *view, uint64_t pthread)
{
	struct state state;
	uint64_t at = tells == CPYTHON_TELL_NOTHING ? 0 : find_state(view, pthread, &state);

	return at ? pytasks_cleans(&view->py, at, &state) : 0;
}

struct pyspin pyview_spins(struct pyview *view, uint64_t pthread)
{
	struct cpython now = pykept_present(&view->py);
	struct state state;
	uint64_t at;

	pthread = pthread || view->limit ? pthread : cpython_only_thread(&view->py);
	at = pthread ? find_state(view, pthread, &state) : 0;
	return at ? pyspin_look(&now, at) : (struct pyspin){0};
}

unsigned long long pyview_interpreter(struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) ? cpython_interpreter(&view->py, state.interp) : 0;
}

bool pyview_awaits_condition(struct pyview *view, uint64_t pthread)
{
	return !view->limit && cpython_awaits_news(&view->py, top_frame(view, pthread));
}

enum pytasks_fault pyview_loop_fault(struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) ? pytasks_fault(&view->py, &state) : PYTASKS_NONE;
}

bool pyview_loop_lacks(struct pyview *view, uint64_t pthread, bool by_variable)
{
	struct state state;

	return find_state(view, pthread, &state) && pytasks_lacks(&view->py, &state, by_variable);
}

bool pyview_awaited_monitor(struct pyview *view, uint64_t pthread, uint64_t *condition,
			    uint64_t *lock)
{
	*condition = cpython_awaited_condition(&view->py, top_frame(view, pthread));
	*lock = *condition ? cpython_awaited_lock(&view->py, top_frame(view, pthread)) : 0;
	return *lock;
}

bool pyview_condition_is_of(struct pyview *child, uint64_t pthread, struct pyview *parent)
{
	static const char *const parts[] = {"_lock", "_waiters"};
	uint64_t condition = cpython_awaited_condition(&child->py, top_frame(child, pthread)), part;

	if (!condition || parent->limit ||
	    cpython_type(&child->py, condition) != cpython_type(&parent->py, condition))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		part = cpython_attribute(&child->py, condition, parts[i]);
		if (!part || cpython_attribute(&parent->py, condition, parts[i]) != part)
			return false;
	}
	return true;
}

bool pyview_awaits_simple(struct pyview *view, uint64_t pthread, uint64_t lock)
{
	return cpython_awaits_simple(&view->py, top_frame(view, pthread),
				     view->py.at.minor < 13 ? lock : 0);
}

bool pyview_lock_ends_with(struct pyview *view, uint64_t thread, uint64_t lock)
{
	struct state state;

	return !view->limit && cpython_ends_with(&view->py, find_state(view, thread, &state), lock);
}

bool pyview_lock_at_end(struct pyview *view, uint64_t waiter)
{
	return view->py.at.minor < 13 && pylock_at_end(&view->py, top_frame(view, waiter));
}

uint64_t pyview_lock_owner(struct pyview *view, uint64_t waiter, uint64_t lock)
{
	uint64_t owner = pylock_owner(&view->py, top_frame(view, waiter), lock);
	struct state state;

	return owner || !find_state(view, waiter, &state) ?
		       owner :
		       cpython_file_owner(&view->py, &state, lock);
}

size_t pyview_lock_name(struct pyview *view, uint64_t thread, uint64_t lock, bool holds, char *text,
			size_t bytes)
{
	struct state state = {0};

	find_state(view, thread, &state);
	return cpython_lock_name(&view->py, &state, lock, 0, holds, text, bytes);
}

uint64_t pyview_parked(struct pyview *view, uint64_t waiter, uint64_t semaphore)
{
	return view->limit ? 0 : cpython_parked(&view->py, top_frame(view, waiter), semaphore);
}

size_t pyview_lock_taken(struct pyview *view, uint64_t holder, uint64_t lock, char *text,
			 size_t bytes)
{
	return pylock_taken(&view->py, top_frame(view, holder), lock, text, bytes);
}

struct cpython_taker pyview_taker(struct pyview *view, uint64_t pthread, uint64_t address,
				  bool waits)
{
	uint64_t top = top_frame(view, pthread);
	struct cpython_lock lock = {.address = address};
	struct cpython_taker taker = {0};

	if (top && cpython_has_mutexes(&view->py) && !cpython_lock_of(&view->py, address, &lock))
		lock = (struct cpython_lock){.address = address};
	if (top)
		(waits ? cpython_taker_around : cpython_taker)(&view->py, top, &lock, &taker);
	return taker;
}

size_t pyview_handler(struct pyview *view, int number, char *text, size_t bytes)
{
	return view->limit ? 0 : pyhandler_text(&view->py, number, text, bytes);
}

bool pyview_thread_ended(struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) && pyended_thread(&view->py, &state, pthread);
}

bool pyview_worker_ended(struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) && pyended_worker(&view->py, &state);
}

bool pyview_had_permits(struct pyview *view, uint64_t semaphore)
{
	return pylock_had_permits(&view->py, semaphore);
}

bool pyview_lock_keeps_shared(struct pyview *view, uint64_t thread, uint64_t lock, uint32_t parent)
{
	return pylock_keeps_shared(&view->py, top_frame(view, thread), lock, thread, parent);
}

bool pyview_shared_lock_is_free(struct pyview *view, uint64_t semlock, uint64_t lock)
{
	return pylock_shared_is_free(&view->py, semlock, lock);
}

static uint64_t modules_of(const struct pyview *view, const struct state *state)
{
	return cpython_peek_word(&view->py, state->interp + view->py.at.interp_modules);
}

struct cpython_rank pyview_rank(struct pyview *view, uint64_t pthread)
{
	struct state state;

	return find_state(view, pthread, &state) ?
		       cpython_group_rank(&view->py, modules_of(view, &state), state.frame) :
		       (struct cpython_rank){0};
}

unsigned pyview_members(struct pyview *view, uint64_t pthread, uint32_t *rank, unsigned most)
{
	struct state state;

	return find_state(view, pthread, &state) ?
		       cpython_group_members(&view->py, modules_of(view, &state), state.frame, rank,
					     most) :
		       0;
}

bool pyview_is_foreign(struct pyview *view, uint64_t pthread)
{
	struct cpython now = pykept_present(&view->py);

	return !view->limit && !cpython_find_thread(&now, pthread, NULL) &&
	       cpython_has_threads(&now);
}

static uint32_t runtime_bytes(unsigned minor)
{
	static const uint32_t bytes[] = {1464, 656, 672, 0x28b20, 0x704a8}; /* of 3.8 to 3.12 */

	return minor < 8 ? 0 : minor < 13 ? bytes[minor - 8] : 0x549c8;
}

struct pyview_range pyview_runtime(struct pyview *view)
{
	uint64_t begin = view->limit ? 0 : view->py.runtime;

	return (struct pyview_range){begin, begin + (begin ? runtime_bytes(view->py.at.minor) : 0)};
}

uint64_t pyview_gil_holder(struct pyview *view)
{
	return view->limit ? 0 : cpython_gil_holder(&view->py);
}

/* struct _gil_runtime_state; Source: pycore_gil.h, the same from 3.8 to 3.15. */
struct gil {
	uint64_t interval, holder;
	int32_t locked;
	uint64_t switches;
};

/* Up to 3.11 it stands in front of the state of all GILs, in _PyRuntimeState, with two conditions and their mutexes. */
#define GIL_BYTES (sizeof(struct gil) + 2 * sizeof(pthread_cond_t) + 2 * sizeof(pthread_mutex_t))

static uint64_t gil_of(const struct cpython *py, uint64_t interp)
{
	if (py->at.runtime_current)
		return py->runtime + py->at.runtime_current - sizeof(uint64_t) - GIL_BYTES;
	return py->at.gil_locked == offsetof(struct gil, locked) ?
		       cpython_peek_word(py, interp + py->at.interp_gil) :
		       0;
}

uint64_t pyview_gil_switches(struct pyview *view, uint64_t pthread, uint64_t condition)
{
	struct state state;
	uint64_t at = find_state(view, pthread, &state),
		 place = at ? gil_of(&view->py, state.interp) : 0;
	struct gil gil;

	/* that the holder is a thread's state says that this is a GIL; interpreters may have one each */
	return place && condition - place < GIL_BYTES &&
			       cpython_peek(&view->py, &gil, place, sizeof(gil)) &&
			       gil.locked == 1 && gil.holder == at ?
		       gil.switches + 1 :
		       0;
}

uint64_t pyview_only_thread(struct pyview *view)
{
	return view->limit ? 0 : cpython_only_thread(&view->py);
}
