/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the table in which CPython keeps the handlers of signals. Its address has no symbol, so it is
 * recognised by what it contains: an entry for each signal, with a count of pending signals and the
 * handler; SIGKILL and SIGSTOP, which nobody can handle, have the same one, SIG_DFL, and glibc's own
 * signals have None.
 */
#include "pyhandler.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/common/cpython/process.h"
#include "../base/util.h"
#include "../proc/procmaps.h"

#define ENTRIES 65u /* NSIG; the first one is not used */
#define ENTRY_WORDS 2u /* tripped, func */
#define TABLE_WORDS (ENTRIES * ENTRY_WORDS)
#define RESERVED 32 /* the first of two that glibc keeps for itself */
#define DATA_MAX (16u << 20) /* bytes that are searched */

static uint64_t handler_of(const uint64_t *table, int number)
{
	return table[(size_t)number * ENTRY_WORDS + 1];
}

static bool is_table(const struct cpython *py, const uint64_t *table)
{
	uint64_t standard = handler_of(table, SIGKILL), none = handler_of(table, RESERVED);

	if (!standard || standard != handler_of(table, SIGSTOP) || !none || none == standard ||
	    none != handler_of(table, RESERVED + 1) || (py->none && none != py->none))
		return false;
	for (int i = 1; i < (int)ENTRIES; i++)
		if (!handler_of(table, i) ||
		    (uint32_t)table[(size_t)i * ENTRY_WORDS] > 1) /* an int, then padding */
			return false;
	return cpython_is_a(py, standard, "int");
}

struct range {
	uint64_t begin, end;
};

/* The writable memory around the interpreter's runtime, which may be several mappings. */
static struct range find_data(const struct cpython *py)
{
	struct procmaps_walk walk = procmaps_begin((uint32_t)py->pid);
	struct range range = {0};

	while (procmaps_next(&walk)) {
		if (strncmp(walk.at.rights, "rw", 2) != 0)
			continue;
		if (walk.at.start != range.end && py->runtime >= range.begin &&
		    py->runtime < range.end)
			break;
		range.begin = walk.at.start == range.end ? range.begin : walk.at.start;
		range.end = walk.at.end;
	}
	procmaps_end(&walk);
	return py->runtime >= range.begin && py->runtime < range.end ? range : (struct range){0};
}

static bool find_table(const struct cpython *py, uint64_t table[TABLE_WORDS])
{
	struct range range = find_data(py);
	size_t bytes = range.end - range.begin < DATA_MAX ? range.end - range.begin : DATA_MAX;
	AUTO_FREE uint64_t *data = memory_get(bytes);
	long got = bytes ? py->peek(py, data, range.begin, bytes) : 0;
	bool found = false;

	for (size_t i = 0; !found && i + TABLE_WORDS <= (size_t)(got > 0 ? got : 0) / 8; i++) {
		found = is_table(py, data + i);
		if (found)
			memcpy(table, data + i, TABLE_WORDS * sizeof(*table));
	}
	return found;
}

static uint64_t find_handler(const struct cpython *py, int number)
{
	uint64_t table[TABLE_WORDS];

	return find_table(py, table) ? handler_of(table, number) : 0;
}

static bool find_code(const struct cpython *py, uint64_t handler, struct frame *frame)
{
	frame->code = cpython_code_called(py, handler);
	return frame->code && frame_read_code(py, frame);
}

size_t pyhandler_text(const struct cpython *py, int number, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes), whole;
	struct frame frame = {0};
	char file[4096];

	if (!find_code(py, find_handler(py, number), &frame))
		return writer_close(&w, bytes);
	whole = writer_open(file, sizeof(file));
	writer_string(&whole, py, frame.file);
	writer_close(&whole, sizeof(file));
	writer_string(&w, py, frame.name);
	writer_byte(&w, ' ');
	writer_byte(&w, '(');
	for (const char *c = path_base(file); *c; c++)
		writer_byte(&w, (unsigned char)*c);
	writer_byte(&w, ':');
	writer_decimal(&w, frame.first_line);
	writer_byte(&w, ')');
	return writer_close(&w, bytes);
}

static bool runs_code(const struct cpython *py, uint64_t top, uint64_t code)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (frame.code == code)
			return true;
	return false;
}

uint64_t pyhandler_running(const struct cpython *py, uint64_t top, uint64_t signals)
{
	uint64_t table[TABLE_WORDS], running = 0;

	if (!top || !find_table(py, table))
		return 0;
	for (int number = 1; number < (int)ENTRIES; number++) {
		struct frame handler = {0};

		if (signals >> (number - 1) & 1 &&
		    find_code(py, handler_of(table, number), &handler) &&
		    runs_code(py, top, handler.code))
			running |= 1ull << (number - 1);
	}
	return running;
}
