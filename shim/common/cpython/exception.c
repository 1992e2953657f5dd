/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the traceback of the exception that a thread is handling. Offsets that are the same from
 * 3.8 to 3.13 are defined here, the others in layout.h.
 */
#include "exception.h"

#define FRAMES_MAX 32u /* the innermost ones */
#define LENGTH_MAX 1024u
#define TRACEBACK_NEXT 16
#define TRACEBACK_FRAME 24
#define TRACEBACK_LASTI 32
#define TRACEBACK_LINE 36
#define TRACEBACK_BYTES 40
#define FRAME_OBJECT_FRAME 24 /* from 3.11 on a frame object and its frame are separate */

/* The exception's own traceback: a list from the outermost frame to the one that raised. */
static uint64_t traceback_of(const struct cpython *py, uint64_t state)
{
	bool old = py->at.minor < 11;
	uint64_t item =
		py->at.state_exc_info ? cpython_peek_word(py, state + py->at.state_exc_info) : 0;
	uint64_t exception = item ? cpython_peek_word(py, item + (old ? 8 : 0)) : 0;

	if (!exception || exception == py->none)
		return 0;
	return cpython_peek_word(py, exception + (old ? 32 : 40));
}

static bool write_entry(struct writer *w, const struct cpython *py, const char *entry)
{
	uint64_t at = word_at(entry, TRACEBACK_FRAME);
	struct frame frame = {0};
	char *begin = w->at;
	int line = int_at(entry, TRACEBACK_LINE);

	if (py->at.minor >= 11)
		at = cpython_member(py, at, FRAME_OBJECT_FRAME);
	frame.code = cpython_peek_word(py, at + py->at.frame_code);
	if (!frame_read_code(py, &frame))
		return true;
	if (line <= 0)
		line = (int)cpython_line(py, frame.lines, frame.first_line,
					 int_at(entry, TRACEBACK_LASTI));
	writer_string(w, py, frame.name);
	writer_byte(w, '\t');
	writer_string(w, py, frame.file);
	writer_byte(w, '\t');
	writer_decimal(w, (unsigned)line);
	if (w->at == w->end) {
		w->at = begin;
		return false;
	}
	writer_byte(w, '\n');
	return true;
}

size_t cpython_traceback(const struct cpython *py, uint64_t state, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t ring[FRAMES_MAX], at = traceback_of(py, state);
	char entry[TRACEBACK_BYTES];
	unsigned seen = 0;

	for (; at && seen < LENGTH_MAX; at = cpython_member(py, at, TRACEBACK_NEXT))
		ring[seen++ % FRAMES_MAX] = at;
	for (unsigned i = 0; i < seen && i < FRAMES_MAX; i++)
		if (!cpython_peek(py, entry, ring[(seen - 1 - i) % FRAMES_MAX], sizeof(entry)) ||
		    !write_entry(&w, py, entry))
			break;
	return writer_close(&w, bytes);
}
