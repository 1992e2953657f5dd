/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the frames of suspended coroutines. The offsets are from CPython's Include/internal/pycore_frame.h. */
#include "coroutine.h"

#define OLD_FRAME 16 /* up to 3.10 */
#define FRAME_FIRST 40 /* from 3.11 on the frame lies within, behind the other fields */
#define FRAME_LAST 112
#define STATE 5 /* bytes before it */
#define FIRST_COUNTED \
	15 /* version whose states count from 0; before, suspended ones are negative */
#define STATE_RUNS 4 /* there */
/* gi_exc_state.exc_value; from 3.11 on that stands in front of the frame */
#define HANDLES_OLD 72 /* 3.8, 3.9 */
#define HANDLES_310 64
#define HANDLES 32

bool cpython_is_coroutine(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "coroutine") || cpython_is_a(py, object, "generator") ||
	       cpython_is_a(py, object, "async_generator");
}

static bool is_suspended(const struct cpython *py, uint64_t frame)
{
	signed char state;

	return cpython_peek(py, &state, frame - STATE, 1) &&
	       (py->at.minor < FIRST_COUNTED ? state < 0 : state >= 0 && state < STATE_RUNS);
}

uint64_t cpython_suspended(const struct cpython *py, uint64_t coroutine)
{
	const char *first = py->at.minor == 11 ? "function" : "code";

	if (py->at.minor < 11)
		return cpython_peek_word(py, coroutine + OLD_FRAME);
	for (uint64_t at = cpython_at(py, coroutine, FRAME_FIRST);
	     at < cpython_at(py, coroutine, FRAME_LAST); at += 8)
		if (cpython_is_a(py, frame_untagged(py, cpython_peek_word(py, at)), first))
			return is_suspended(py, at) ? at : 0;
	return 0;
}

uint64_t cpython_suspended_handles(const struct cpython *py, uint64_t coroutine, uint64_t frame)
{
	uint64_t at = py->at.minor < 10 ? coroutine + HANDLES_OLD :
		      py->at.minor < 11 ? coroutine + HANDLES_310 :
					  frame - HANDLES,
		 exception = cpython_peek_word(py, at);

	return exception == py->none ? 0 : exception;
}
