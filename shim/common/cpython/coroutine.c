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
