/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the calling thread handles an exception, and where: by loads from what belongs to the thread, for hooks that
 * are called by the million.
 */
#include <link.h>

#include "../common/cpython/process.h"
#include "../intercept/elf.h" /* _r_debug is weak */
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "python.h"
#include "python_self.h"

#define FRAMES_MAX 16u

/*
 * Its state is in use: nobody frees what it refers to but the thread, and who finalizes the interpreter beside it. NULL: it
 * has none, as before the interpreter's start and after its end.
 */
static inline const char *state_in_use(void)
{
	bool found = atomic_load_explicit(&python_found, memory_order_acquire) && !python.limit;
	const char *state = found ? python.this_state() : NULL;

	return state && !(sys_threaded && python.is_finalizing()) ? state : NULL;
}

static uint64_t load(uint64_t at)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)at, sizeof(word));
	return word;
}

/* The innermost frame. */
static uint64_t frame_in_use(const struct cpython *py, const char *state)
{
	uint64_t at = load((uint64_t)state + py->at.state_frame);

	return at && py->at.cframe ? load(at + py->at.cframe_frame) : at;
}

bool python_handles(void)
{
	const char *state;

	if (UNLIKELY(!atomic_load_explicit(&python_found, memory_order_relaxed)) &&
	    _r_debug.r_state == RT_CONSISTENT) {
		python_search();
		python_catches &= python_found; /* or from when it is loaded */
	}
	state = state_in_use();
	return state && cpython_handled_here(&python.own, state);
}

uint64_t python_handler(void)
{
	const struct cpython *py = &python.own;
	const char *state = state_in_use();
	uint64_t exception = state ? cpython_handled_here(py, state) : 0, hash, at;

	if (!exception)
		return 0;
	hash = load(exception + py->at.object_type);
	at = frame_in_use(py, state);
	for (unsigned i = 0; at && i < FRAMES_MAX; i++, at = load(at + py->at.frame_previous))
		hash = (hash ^ load(at + py->at.frame_code)) * 0x9e3779b97f4a7c15ull ^
		       load(at + py->at.frame_instr);
	return hash | 1;
}

uint64_t python_outermost(void)
{
	const struct cpython *py = &python.own;
	const char *state = state_in_use();
	uint64_t at = state ? frame_in_use(py, state) : 0, code = 0;

	for (; at; at = load(at + py->at.frame_previous))
		code = load(at + py->at.frame_code);
	return state ? code | 1 : 0;
}

bool python_uncaught(struct cpython_exception *exception)
{
	struct state own;

	return python_own_state(&own) && cpython_left_main(&python.own, &own, exception);
}

bool python_drops(int *fd)
{
	struct state own;

	if (!python_own_state(&own) || !cpython_feeder_drops(&python.own, own.frame))
		return false;
	*fd = cpython_fed(&python.own, own.frame);
	return true;
}

const struct cpython *python_self(void)
{
	return &python.own;
}
