/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the instructions of frames. See called.h. */
#include "called.h"

#include "span.h"

#define NAMES_BEFORE 8 /* PyCodeObject.co_names: before co_exceptiontable, or co_varnames */
#define CONSTANTS_BEFORE 16
#define NAMES_MAX 64u
#define CODE_MAX 65536u

uint64_t called_tuple(const struct cpython *py, uint64_t code, unsigned which)
{
	unsigned behind = py->at.minor < 11 ? py->at.code_variables : py->at.code_handlers;
	unsigned at[CALLED_TUPLES] = {behind - NAMES_BEFORE, behind - CONSTANTS_BEFORE,
				      py->at.code_variables};

	return cpython_peek_word(py, code + at[which]);
}

struct called_names called_names(const struct cpython *py, const struct frame *frame)
{
	uint64_t names = called_tuple(py, frame->code, 0);
	uint64_t count = names && cpython_is_a(py, names, "tuple") ?
				 cpython_member(py, names, CPYTHON_SIZE) :
				 0;

	return (struct called_names){names + py->at.tuple_items,
				     count < NAMES_MAX ? (unsigned)count : NAMES_MAX};
}

/* Which of them it is; negative: none. */
int called_find(const struct cpython *py, const struct called_names *names, const char *text)
{
	for (unsigned i = 0; i < names->count; i++)
		if (cpython_string_is(py, cpython_peek_word(py, names->items + 8ull * i), text))
			return (int)i;
	return -1;
}

/* Names are interned: the same text is the same object. */
int called_find_key(const struct cpython *py, const struct called_names *names, uint64_t key)
{
	for (unsigned i = 0; key && i < names->count; i++)
		if (cpython_peek_word(py, names->items + 8ull * i) == key)
			return (int)i;
	return -1;
}

/* How a version calls a method: by which instructions, and how many units after others their arguments stand. */
struct calls {
	unsigned char load, first, last; /* looks up a method; what that becomes in time */
	unsigned char caches_global, caches_attribute; /* units after LOAD_GLOBAL, LOAD_ATTR */
	bool tags_method, tags_global,
		tags_attribute; /* the lowest bit of an argument is not of the name */
	unsigned char caches_call, drop; /* units after CALL; POP_TOP, 0: unknown */
};

static const struct calls calls[] = {
	{160, 160, 160, 0, 0, false, false, false, 0, 1}, /* 3.8 */
	{160, 160, 160, 0, 0, false, false, false, 0, 1},
	{160, 160, 160, 0, 0, false, false, false, 0, 1},
	{160, 56, 63, 5, 4, false, true, false, 4, 1},
	{106, 70, 82, 4, 9, true, true, true, 3, 1},
	{82, 191, 202, 4, 9, true, true, true, 3, 32},
	{80, 177, 189, 4, 9, true, true, true, 3, 31},
	{79, 183, 195, 4, 9, true, true, true, 3, 0},
};
#define BEFORE 10u /* the most caches, and the instruction itself */

static const struct calls *calls_of(const struct cpython *py)
{
	unsigned row = py->at.minor - 8u;

	return row < sizeof(calls) / sizeof(*calls) ? &calls[row] : NULL;
}

static bool loads_method(const struct calls *call, int instruction)
{
	return instruction == call->load ||
	       (instruction >= call->first && instruction <= call->last);
}

static int argument_of(int name, bool tagged)
{
	return tagged ? 2 * name : name;
}

/* Whether the instruction before one is what put the lock on the stack, by the arguments of those before. */
static bool is_of(const struct calls *call, int variable, int name, const int *before, unsigned at)
{
	return (variable >= 0 && before[(at - 1) % BEFORE] == variable) ||
	       (name >= 0 && (before[(at - 1) % BEFORE] == name || /* in a module's own code */
			      before[(at - 1 - call->caches_global) % BEFORE] ==
				      argument_of(name, call->tags_global) ||
			      before[(at - 1 - call->caches_attribute) % BEFORE] ==
				      argument_of(name, call->tags_attribute)));
}

static uint64_t code_at(const struct cpython *py, const struct frame *frame)
{
	return py->at.minor < 11 ? cpython_peek_word(py, frame->code + py->at.code_bytecode) +
					   py->at.bytes_items :
				   frame->code + py->at.code_units;
}

long called_last(const struct cpython *py, const struct frame *frame,
		 const struct called_names *names, int variable, int name, int acquire)
{
	const struct calls *call = calls_of(py);
	int release = called_find(py, names, "release"), before[BEFORE], operation, argument,
	    method;
	unsigned line = cpython_line(py, frame->lines, frame->first_line, frame->instr);
	long called = -1;
	struct span code;

	for (unsigned i = 0; i < BEFORE; i++)
		before[i] = -1;
	span_open(&code, py, code_at(py, frame));
	code.left = call && frame->instr > 0 && frame->instr < (long)CODE_MAX ?
			    (uint64_t)frame->instr :
			    0;
	for (unsigned at = BEFORE;
	     (operation = span_byte(&code)) >= 0 && (argument = span_byte(&code)) >= 0;
	     before[at++ % BEFORE] = argument) {
		long here = 2l * (at - BEFORE);

		if (!loads_method(call, operation) || (call->tags_method && argument % 2 == 0) ||
		    !is_of(call, variable, name, before, at))
			continue;
		method = call->tags_method ? argument / 2 : argument;
		if (method == acquire &&
		    cpython_line(py, frame->lines, frame->first_line, here) != line)
			called = here;
		else if (method == release)
			called = -1;
	}
	return called;
}

bool called_in_vain(const struct cpython *py, const struct frame *frame)
{
	const struct calls *call = calls_of(py);
	unsigned char next;

	return call && call->drop && frame->instr >= 0 &&
	       cpython_peek(py, &next,
			    code_at(py, frame) + (uint64_t)frame->instr + 2 +
				    2ull * call->caches_call,
			    1) &&
	       next == call->drop;
}
