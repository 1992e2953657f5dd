/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables of handlers (3.11 on) and what their instructions do. See handler.h. */
#include "handler.h"

#define HANDLERS_MAX 8192u /* bytes of a table of handlers */
#define NESTED_MAX 32u
#define UNITS_MAX 4096u /* of two bytes, in one handler */
#define CODE_MAX 65536u

/* ---- the table ---- */

/* A number in groups of six bits, highest first, each but the last marked by 64. */
static unsigned handler_number(struct span *table)
{
	unsigned value = 0;
	int byte;

	do {
		byte = span_byte(table);
		if (byte < 0)
			return 0;
		value = value << 6 | (byte & 63);
	} while (byte & 64);
	return value;
}

bool handler_next(struct span *table, struct handler *handler)
{
	if (!table->left)
		return false;
	handler->start = handler_number(table);
	handler->length = handler_number(table);
	handler->target = handler_number(table);
	handler->depth = handler_number(table);
	handler->lasti = handler->depth & 1;
	handler->depth /= 2;
	return true;
}

bool handlers_open(struct span *table, const struct cpython *py, const struct frame *frame)
{
	const unsigned char *head;

	span_open(table, py, frame->handlers);
	head = span_take(table, py->at.bytes_items);
	if (!head || word_at(head, py->at.object_type) != py->bytes_type)
		return false;
	table->left = word_at(head, py->at.bytes_size);
	return table->left <= HANDLERS_MAX;
}

/* That of an instruction; 0: none. */
static unsigned handler_of(const struct cpython *py, const struct frame *frame, unsigned unit)
{
	struct handler handler;
	struct span table;

	if (!handlers_open(&table, py, frame))
		return 0;
	while (handler_next(&table, &handler) && handler.start <= unit)
		if (unit - handler.start < handler.length)
			return handler.target;
	return 0;
}

/* ---- 3.11 on ---- */

/* Caches stand between instructions there, and may look like any of them. */
struct marks {
	unsigned char push, pop_top; /* begins each handler; follows in a bare `except` */
	unsigned char match, match_group; /* in any other `except`, in its line */
	unsigned char raise;
};

static const struct marks marks[] = {
	{35, 1, 36, 37, 130}, /* 3.11 */
	{35, 1, 36, 37, 130},
	{33, 32, 7, 6, 101},
	{32, 31, 6, 5, 104},
};
#define INSTRUMENTED 234 /* and above: a debugger or coverage.py has replaced it */

static const struct marks *marks_of(const struct cpython *py)
{
	unsigned row = py->at.minor - 11u;

	return row < sizeof(marks) / sizeof(*marks) ? &marks[row] : NULL;
}

/* Instruction and argument; negative: not readable. */
static int unit_at(const struct cpython *py, const struct frame *frame, unsigned unit)
{
	unsigned char bytes[2];

	return cpython_peek(py, bytes, frame->code + py->at.code_units + 2ull * unit, 2) ?
		       bytes[0] | bytes[1] << 8 :
		       -1;
}

static unsigned line_at(const struct cpython *py, const struct frame *frame, unsigned unit)
{
	return cpython_line(py, frame->lines, frame->first_line, 2l * unit);
}

/*
 * The innermost handler that the frame is in: an exception that one has passed on came to the handler of that one's
 * instructions. 0: unknown.
 */
static unsigned handler_around(const struct cpython *py, const struct frame *frame,
			       const struct marks *mark, unsigned raised)
{
	unsigned here = (unsigned)frame->instr / 2, found = 0, at = raised;

	for (unsigned i = 0; i < NESTED_MAX && (at = handler_of(py, frame, at)); i++)
		if (at <= here && (unit_at(py, frame, at) & 255) == mark->push)
			found = at;
	return found;
}

static bool is_except(const struct cpython *py, const struct frame *frame, const struct marks *mark,
		      unsigned handler)
{
	unsigned here = (unsigned)frame->instr / 2, line = line_at(py, frame, handler + 1);
	int unit = unit_at(py, frame, handler + 1);

	if (unit < 0 || (unit & 255) == mark->pop_top || (unit & 255) >= INSTRUMENTED)
		return true;
	for (unsigned at = handler + 1; at <= here && at < handler + UNITS_MAX; at++) {
		unit = unit_at(py, frame, at);
		if ((unit == mark->match || unit == mark->match_group) &&
		    line_at(py, frame, at) == line)
			return true;
	}
	return false;
}

/* Whether a line that only says `raise` follows in the handler. */
static bool raises_again(const struct cpython *py, const struct frame *frame,
			 const struct marks *mark, unsigned handler)
{
	unsigned here = (unsigned)frame->instr / 2, end = handler_of(py, frame, handler);

	for (unsigned at = here + 1; at < end && at < here + UNITS_MAX; at++)
		if (unit_at(py, frame, at) == mark->raise &&
		    line_at(py, frame, at) != line_at(py, frame, at - 1))
			return true;
	return false;
}

static bool passes_by_table(const struct cpython *py, const struct frame *frame, long raised)
{
	const struct marks *mark = marks_of(py);
	unsigned handler = mark && frame->instr > 0 && raised > 0 ?
				   handler_around(py, frame, mark, (unsigned)raised / 2) :
				   0;

	return handler &&
	       (!is_except(py, frame, mark, handler) || raises_again(py, frame, mark, handler));
}

/* ---- up to 3.10 ---- */

#define POP_EXCEPT 89
#define SETUP_FINALLY 122
#define RAISE_VARARGS 130
#define SETUP_WITH 143
#define SETUP_ASYNC_WITH 154

/* A handler ends by what drops the exception, or passes it on. In another one that begins before, it could be either. */
static bool passes_by_end(const struct cpython *py, const struct frame *frame)
{
	static const unsigned char passes[] = {88, 48, 119}; /* END_FINALLY; RERAISE */
	uint64_t code = cpython_peek_word(py, frame->code + py->at.code_bytecode),
		 size = code ? cpython_peek_word(py, code + py->at.bytes_size) : 0,
		 next = (uint64_t)frame->instr + 2;
	struct span bytes;
	int operation, argument;

	span_open(&bytes, py, code + py->at.bytes_items + next);
	bytes.left = frame->instr >= 0 && size < CODE_MAX && next < size ? size - next : 0;
	while ((operation = span_byte(&bytes)) >= 0 && (argument = span_byte(&bytes)) >= 0) {
		if (operation == passes[py->at.minor - 8])
			return true;
		if (operation == RAISE_VARARGS)
			return argument == 0;
		if (operation == POP_EXCEPT || operation == SETUP_FINALLY ||
		    operation == SETUP_WITH || operation == SETUP_ASYNC_WITH)
			return false;
	}
	return false;
}

bool handler_passes_on(const struct cpython *py, const struct frame *frame, long raised)
{
	return py->at.minor < 11 ? passes_by_end(py, frame) : passes_by_table(py, frame, raised);
}
