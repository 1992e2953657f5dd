/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the exception of a Python thread as text. */
#include "pyraised.h"

#include <stdio.h>

static size_t write_one(const struct cpython *py, const struct cpython_exception *exception,
			const char *relation, char *text, size_t bytes)
{
	char type[CPYTHON_TYPE_BYTES], said[CPYTHON_TEXT_BYTES];
	int length;

	cpython_exception_type(py, exception, type, sizeof(type));
	cpython_exception_text(py, exception, said, sizeof(said));
	length = snprintf(text, bytes, "%s\t%s\t%s\n", relation, type, said);
	if (length < 0 || (size_t)length >= bytes) {
		*text = '\0';
		return 0;
	}
	return (size_t)length +
	       cpython_exception_frames(py, exception, text + length, bytes - (size_t)length);
}

size_t pyraised_text(const struct cpython *py, uint64_t at, const struct state *state, char *text,
		     size_t bytes)
{
	struct cpython_exception exception, before;
	const char *relation = "handles";
	size_t length;

	if (!cpython_exception_read(py, &exception, cpython_handled(py, at)) ||
	    cpython_exception_is_parents(py, &exception, state->frame)) {
		relation = "ended";
		if (state->next ||
		    !cpython_exception_read(py, &exception, cpython_uncaught(py, state->interp)) ||
		    !cpython_ended_main(py, &exception, state->frame))
			return 0;
	}
	length = write_one(py, &exception, relation, text, bytes);
	if (!length || length + 1 >= bytes || !cpython_exception_before(py, &before, &exception))
		return length;
	text[length++] = '\n';
	return length + write_one(py, &before, exception.cause ? "cause" : "context", text + length,
				  bytes - length);
}
