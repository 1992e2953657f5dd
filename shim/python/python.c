/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the frames of this process's Python threads. python_find.c finds CPython, common/cpython/
 * reads its structures.
 */
#include "python.h"

#include "../common/cpython/group.h"
#include "../common/cpython/name.h"
#include "../common/cpython/process.h"
#include "../common/cpython/reach.h"
#include "../common/cpython/status.h"
#include "../common/cpython/taker.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "python_self.h"

#define THREADS_MAX 4096
#define KNOWN 256u /* threads at a time, */
#define NEAR 8u /* each so far from its first place */

/*
 * Walks the interpreter's list of threads in one direction. PyThreadState_Next would do the same,
 * but the list is protected by Python's own lock, not by the GIL: an entry may be freed during the
 * walk.
 */
static uint64_t find_frame(const struct state *own, uint64_t pthread, bool forward)
{
	struct state state = *own;

	for (unsigned i = 0; i < THREADS_MAX; i++) {
		if (!state_read(&python.py, &state, forward ? state.next : state.prev) ||
		    state.interp != own->interp)
			return 0;
		if (state.thread_id == pthread && state.frame)
			return state.frame;
	}
	return 0;
}

bool python_own_state(struct state *own)
{
	return python_present() && !python.limit && !python.is_finalizing() &&
	       state_read(&python.own, own, (uint64_t)python.this_state());
}

/*
 * Where the state of a thread was found last, so that a fork beside many threads does not look for each.
 * What stands there is a hint: threads share a place if too many are near each other.
 */
static uint64_t *known_state(uint64_t pthread)
{
	static struct {
		uint64_t pthread, state;
	} known[KNOWN] LARGE;
	unsigned home = (unsigned)(pthread * 0x9e3779b97f4a7c15ull >> 32) % KNOWN, i = 0;

	while (i < NEAR && known[(home + i) % KNOWN].pthread &&
	       known[(home + i) % KNOWN].pthread != pthread)
		i++;
	i = (home + (i < NEAR ? i : 0)) % KNOWN;
	if (known[i].pthread != pthread)
		__atomic_store_n(&known[i].pthread, pthread, __ATOMIC_RELAXED);
	return &known[i].state;
}

/* A search for one thread sees them all. */
static void know_state(const struct state *state, uint64_t at)
{
	if (state->frame)
		*known_state(state->thread_id) = at;
}

/* Whether the states and frames of other threads stand still and can be read. */
static bool others_rest(void)
{
	return python_holds_gil() && !python.limit && !python.is_finalizing();
}

/* Finds and reads the state of a thread, most likely still at `at`, which is updated; 0: it has none. */
static bool state_of(uint64_t pthread, uint64_t *at, struct state *state)
{
	uint64_t found;

	if (!*at)
		*at = *known_state(pthread);
	if (cpython_is_thread(&python.py, *at, pthread, state))
		return true;
	found = cpython_find_thread(&python.py, pthread, know_state);
	if (*at != found) /* a page that is written at a fork is copied */
		__atomic_store_n(at, found, __ATOMIC_RELAXED);
	return found && state_read(&python.py, state, found);
}

uint64_t python_frame_of(const struct state *own, uint64_t pthread)
{
	struct state state;
	uint64_t frame;

	if (!pthread || pthread == own->thread_id)
		return own->frame;
	if (!python_holds_gil())
		return 0;
	if (state_of(pthread, known_state(pthread), &state) && state.interp == own->interp &&
	    state.frame)
		return state.frame;
	frame = find_frame(own, pthread, true);
	return frame ? frame : find_frame(own, pthread, false);
}

/* The innermost frame of a thread; 0: none, or not readable now. */
static uint64_t top_frame(uint64_t pthread)
{
	struct state own;

	return python_own_state(&own) ? python_frame_of(&own, pthread) : 0;
}

/* How to read what the frames of a thread refer to. */
static const struct cpython *python_of(uint64_t pthread)
{
	return pthread ? &python.py : &python.own;
}

size_t python_stack(uint64_t pthread, struct walk *room, char *text, size_t bytes)
{
	return cpython_stack(python_of(pthread), top_frame(pthread), room, text, bytes);
}

bool python_has_thread(uint64_t pthread, uint64_t *state)
{
	struct state copy;

	return !python_present() || python.limit || python.is_finalizing() ||
	       state_of(pthread, state, &copy);
}

size_t python_thread_name(uint64_t pthread, char *text, size_t bytes)
{
	return cpython_thread_name(&python.py, top_frame(pthread), text, bytes);
}

size_t python_thread_function(uint64_t pthread, char *text, size_t bytes)
{
	return cpython_thread_function(&python.py, top_frame(pthread), text, bytes);
}

enum mpsan_thread_role python_role(uint64_t pthread)
{
	return cpython_role(&python.py, top_frame(pthread));
}

bool python_only_feeds(uint64_t pthread)
{
	return cpython_only_feeds(&python.py, top_frame(pthread));
}

uint64_t python_starting(void)
{
	return cpython_starting(&python.py, top_frame(0));
}

bool python_starts_server(void)
{
	return cpython_starts_server(&python.py, top_frame(0));
}

/* A pool has a thread of its own for its workers. The main thread is the interpreter's oldest one. */
enum mpsan_exit_check python_checks_exit(bool waits)
{
	uint64_t own, oldest;
	struct state state;
	enum mpsan_exit_check how;

	if (!python_own_state(&state))
		return 0;
	own = oldest = (uint64_t)python.this_state();
	for (unsigned i = 0; i < THREADS_MAX && state.next; i++) {
		oldest = state.next;
		if (!state_read(&python.py, &state, oldest))
			break;
	}
	how = cpython_checks_exit(&python.py, own, waits);
	return how || oldest == own ? how : cpython_checks_exit(&python.py, oldest, false);
}

uint64_t python_started(void)
{
	return cpython_started(&python.py, top_frame(0));
}

bool python_loads_data(uint64_t process)
{
	return cpython_loads_data(&python.py, process);
}

size_t python_process_name(uint64_t process, char *text, size_t bytes)
{
	return cpython_process_name(&python.py, process, text, bytes);
}

bool python_runs_main(void)
{
	return cpython_runs_main(&python.py, top_frame(0));
}

bool python_collects(void)
{
	struct state own;

	return python_own_state(&own) && cpython_collects(&python.py, &own);
}

bool python_calls(const char *function, const char *file)
{
	return cpython_calls(&python.py, top_frame(0), function, file);
}

uint64_t python_model(uint64_t process, char *type, size_t bytes)
{
	return cpython_model(&python.py, process, type, bytes);
}

bool python_lets_go(void)
{
	return cpython_lets_go(&python.py, cpython_starting(&python.py, top_frame(0)));
}

bool python_is_idle(void)
{
	struct state own;

	return python_own_state(&own) && !own.frame;
}

bool python_awaits_news(void)
{
	return cpython_awaits_news(&python.own, top_frame(0));
}

const void *python_awaited_lock(void)
{
	return (const void *)(uintptr_t)cpython_awaited_lock(&python.py, top_frame(0));
}

bool python_waits_for_simple(const void *lock)
{
	return cpython_awaits_simple(&python.py, top_frame(0), (uint64_t)(uintptr_t)lock);
}

size_t python_lock_name(const void *lock, char *text, size_t bytes)
{
	struct state own = {0};

	python_own_state(&own);
	return cpython_lock_name(&python.py, &own, (uint64_t)(uintptr_t)lock, 0, false, text,
				 bytes);
}

size_t python_held_lock_name(uint64_t pthread, uint64_t *at, uint64_t lock, uint64_t object,
			     char *text, size_t bytes)
{
	struct state state;

	return others_rest() && state_of(pthread, at, &state) ?
		       cpython_lock_name(&python.py, &state, lock, object, true, text, bytes) :
		       0;
}

struct cpython_lock_object python_lock_object(uint64_t object)
{
	return object && python_present() ? cpython_lock_object(&python.py, object) :
					    (struct cpython_lock_object){0};
}

bool python_ends_with(uint64_t pthread, uint64_t *at, uint64_t lock)
{
	struct state state;

	return others_rest() && state_of(pthread, at, &state) &&
	       cpython_ends_with(&python.py, *at, lock);
}

bool python_has_mutexes(void)
{
	return python_present() && !python.limit && cpython_has_mutexes(&python.py);
}

bool python_has_mutex_rlocks(void)
{
	return python_has_mutexes() && python.py.at.minor >= 14;
}

uint64_t python_parked(const void *semaphore)
{
	return python_has_mutexes() ?
		       cpython_parked(&python.py, top_frame(0), (uint64_t)(uintptr_t)semaphore) :
		       0;
}

static uint64_t hash_of(const struct cpython *py, uint64_t top)
{
	uint64_t hash = 0;
	struct walk walk;
	struct frame frame;

	walk_open(&walk, py, top);
	while (top && walk_step(&walk, &frame))
		hash = ((hash ^ frame.code) * 0x9e3779b97f4a7c15ull ^ (uint64_t)frame.instr) *
		       0xff51afd7ed558ccdull;
	return hash;
}

uint64_t python_hash(uint64_t pthread)
{
	return hash_of(python_of(pthread), top_frame(pthread));
}

/* What python_held sees goes through here, to learn whether that was anything. */
struct held {
	cpython_held_seen *see;
	void *context;
	bool any;
};

static void see_held(const struct cpython *py, const struct cpython_lock *lock,
		     const struct frame *frame, const struct with_block *block, void *context)
{
	struct held *held = context;

	held->any = true;
	held->see(py, lock, frame, block, held->context);
}

/* The innermost frame of a thread whose state is known from an earlier look. */
static uint64_t frame_by_state(uint64_t pthread, uint64_t *at)
{
	struct state state;

	return state_of(pthread, at, &state) ? state.frame : 0;
}

struct python_place python_held(uint64_t pthread, uint64_t *state, uint64_t *free,
				cpython_held_seen *see, void *context)
{
	struct held held = {see, context, false};
	uint64_t top = 0, hash;

	if (!pthread)
		top = top_frame(0);
	else if (others_rest())
		top = frame_by_state(pthread, state);
	hash = top ? hash_of(python_of(pthread), top) : 0;
	if (hash && hash != *free) {
		cpython_held(&python.py, top, see_held, &held);
		*free = held.any ? 0 : hash;
	}
	return (struct python_place){top, hash};
}

/* The str "acquire", a key of the type of locks; 0: not found. */
static uint64_t acquire_name(void)
{
	static uint64_t found;
	uint64_t type, names, method;

	if (!found) {
		type = python_global("_thread", "LockType");
		names = type && cpython_is_a(&python.py, type, "type") ?
				cpython_member(&python.py, type, TYPE_DICT) :
				0;
		method = cpython_dict_find(&python.py, names, "acquire");
		found = method ? cpython_dict_key(&python.py, names, method) : 0;
	}
	return found;
}

size_t python_called(uint64_t pthread, uint64_t *state, uint64_t lock, char *text, size_t bytes,
		     uint64_t *object)
{
	const struct cpython *py = &python.py;
	const struct cpython_lock sought = {.address = lock};
	uint64_t top, name = pthread ? acquire_name() : 0;
	struct cpython_taker taker;
	size_t length = 0;

	*object = 0;
	if (pthread && !others_rest())
		return 0;
	top = pthread ? frame_by_state(pthread, state) : top_frame(0);
	if (name)
		length = cpython_called_text(py, top, lock, name, text, bytes, object);
	if (length)
		return length;
	cpython_taker(py, top, &sought, &taker);
	return taker.called ? cpython_taker_text(py, &taker, text, bytes) : 0;
}

uint32_t python_rank(void)
{
	struct cpython_rank rank = cpython_group_rank(&python.py, 0, top_frame(0));

	return rank.world ? rank.rank + 1 : 0;
}

uint64_t python_global(const char *module, const char *name)
{
	const struct cpython *py = &python.py;
	uint64_t at, names;
	struct state own;

	if (!python_own_state(&own))
		return 0;
	at = cpython_dict_search(py, cpython_peek_word(py, own.interp + py->at.interp_modules),
				 module);
	names = at ? cpython_member(py, at, CPYTHON_MODULE_DICT) : 0;
	return cpython_dict_search(py, names, name);
}

#define TYPE_DESTRUCTOR 48 /* PyTypeObject.tp_dealloc */
#define DESCRIPTOR_METHOD 40 /* PyMethodDescrObject.d_method */
#define METHOD_FUNCTION 8 /* PyMethodDef.ml_meth, behind its name */

uint64_t python_lock_method(bool recursive, const char *method)
{
	const struct cpython *py = &python.py;
	uint64_t type = python_global("_thread", recursive ? "RLock" : "LockType"), at;

	if (!type || !cpython_is_a(py, type, "type"))
		return 0;
	if (!method)
		return cpython_at(py, type, TYPE_DESTRUCTOR);
	at = cpython_dict_find(py, cpython_member(py, type, TYPE_DICT), method);
	at = cpython_is_a(py, at, "method_descriptor") ? cpython_member(py, at, DESCRIPTOR_METHOD) :
							 0;
	return at ? at + METHOD_FUNCTION : 0;
}

unsigned python_lock_offset(void)
{
	return (unsigned)cpython_at(&python.py, 0, CPYTHON_HEAD);
}

uint64_t python_true(void)
{
	return python.truth;
}

uint64_t python_type(uint64_t object)
{
	return cpython_type(&python.py, object);
}

int64_t python_dict_used(uint64_t dict, uint64_t type)
{
	return type && python_type(dict) == type ?
		       (int64_t)cpython_member(&python.py, dict, CPYTHON_DICT_USED) :
		       -1;
}

bool python_handled(struct cpython_exception *exception)
{
	struct state own;

	return python_own_state(&own) &&
	       cpython_exception_read(&python.own, exception,
				      cpython_handled(&python.own, (uint64_t)python.this_state()));
}

static enum cpython_tell tells;

void python_tells(enum cpython_tell tell)
{
	tells = tell;
}

enum cpython_tell python_told(void)
{
	return tells;
}

size_t python_raised(char *text, size_t bytes)
{
	struct state own;

	return python_own_state(&own) ? cpython_raised(&python.own, (uint64_t)python.this_state(),
						       &own, tells, text, bytes) :
					0;
}
