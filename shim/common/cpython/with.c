/* SPDX-License-Identifier: Apache-2.0 */
/* Reads value stacks, tables of handlers (3.11 on) and lists of blocks (up to 3.10). */
#include "with.h"

#include "handler.h"
#include "process.h"

#define BOUND_FUNCTION 16 /* PyMethodObject.im_func, PyCFunctionObject.m_ml */
#define BOUND_SELF 24
#define DESCRIPTOR_METHOD 40 /* PyMethodDescrObject.d_method */
#define DEPTH_MAX 64u /* of a value stack */
#define BLOCKS_MAX 20 /* CO_MAXBLOCKS */
#define BLOCK_BYTES 12
#define BLOCK_HANDLER 4
#define BLOCK_LEVEL 8
#define SETUP_WITH 143
#define EXTENDED_ARG 144
#define CODE_MAX 65536u

static bool has_blocks(const struct cpython *py)
{
	return py->at.minor < 11;
}

/* ---- handlers ---- */

static unsigned depth_by_handlers(const struct cpython *py, const struct frame *frame)
{
	unsigned unit = (unsigned)frame->instr / 2;
	struct handler handler;
	struct span table;

	if (frame->instr < 0 || !handlers_open(&table, py, frame))
		return 0;
	while (handler_next(&table, &handler) && handler.start <= unit)
		if (unit - handler.start < handler.length)
			return handler.depth;
	return 0;
}

/*
 * The handler of a block stands on the line of its `with`. Inside of another block or `try` the
 * instruction has another handler, but what precedes that one had this one.
 */
static unsigned line_by_handlers(const struct cpython *py, const struct frame *frame,
				 unsigned depth)
{
	unsigned unit = (unsigned)frame->instr / 2, target = 0;
	struct handler handler;
	struct span table;

	if (frame->instr < 0 || !handlers_open(&table, py, frame))
		return 0;
	while (handler_next(&table, &handler) && handler.start <= unit)
		if (handler.depth == depth && handler.lasti)
			target = handler.target;
	return target ? cpython_line(py, frame->lines, frame->first_line, 2l * target) : 0;
}

/* Up to 3.10 a frame has a list of the blocks that it is in. */
static unsigned depth_by_blocks(const struct cpython *py, const struct frame *frame)
{
	int32_t count, level;

	if (!cpython_peek(py, &count, frame->at + py->at.frame_block_count, sizeof(count)) ||
	    count < 1 || count > BLOCKS_MAX ||
	    !cpython_peek(py, &level,
			  frame->at + py->at.frame_blocks + BLOCK_BYTES * (unsigned)(count - 1) +
				  BLOCK_LEVEL,
			  sizeof(level)))
		return 0;
	return level > 0 ? (unsigned)level : 0;
}

/*
 * The handler of the first block that unwinds to this depth, in bytes of code; negative: unknown. A `try`
 * inside of it may unwind to the same depth.
 */
static long handler_by_blocks(const struct cpython *py, const struct frame *frame, unsigned depth)
{
	int32_t block[3], count;

	if (!cpython_peek(py, &count, frame->at + py->at.frame_block_count, sizeof(count)) ||
	    count > BLOCKS_MAX)
		return -1;
	for (unsigned i = 0; (int32_t)i < count; i++)
		if (cpython_peek(py, block, frame->at + py->at.frame_blocks + BLOCK_BYTES * i,
				 sizeof(block)) &&
		    block[BLOCK_LEVEL / 4] == (int32_t)depth)
			return block[BLOCK_HANDLER / 4] * (py->at.minor == 10 ? 2l : 1l);
	return -1;
}

/* The line of the instruction that began the block: only that one names its handler. */
static unsigned line_by_blocks(const struct cpython *py, const struct frame *frame, unsigned depth)
{
	long handler = handler_by_blocks(py, frame, depth), distance = 0, at = 0;
	uint64_t code = cpython_peek_word(py, frame->code + py->at.code_bytecode);
	struct span bytes;
	int operation, argument;

	span_open(&bytes, py, code + py->at.bytes_items);
	bytes.left = handler > 0 && handler < (long)CODE_MAX ? (uint64_t)handler : 0;
	while ((operation = span_byte(&bytes)) >= 0 && (argument = span_byte(&bytes)) >= 0) {
		distance = (distance << 8 | argument) & 0xffffff;
		at += 2;
		if (operation == SETUP_WITH &&
		    at + distance * (py->at.minor == 10 ? 2 : 1) == handler)
			return cpython_line(py, frame->lines, frame->first_line, at - 2);
		if (operation != EXTENDED_ARG)
			distance = 0;
	}
	return 0;
}

/* ---- the value stack ---- */

static bool take_builtin(const struct cpython *py, struct with_block *block, uint64_t method)
{
	block->builtin = true;
	block->exit = method;
	return cpython_method_is(py, method, "__exit__");
}

static bool take_function(const struct cpython *py, struct with_block *block, uint64_t function)
{
	block->builtin = false;
	block->exit = cpython_code_of(py, function);
	return block->exit;
}

/* A method, and what it is called with: two values from 3.14 on. */
static bool take_pair(const struct cpython *py, struct with_block *block, uint64_t value,
		      uint64_t self)
{
	block->self = self;
	if (cpython_is_a(py, value, "function"))
		return take_function(py, block, value);
	return cpython_is_a(py, value, "method_descriptor") &&
	       take_builtin(py, block, cpython_member(py, value, DESCRIPTOR_METHOD));
}

bool with_bound(const struct cpython *py, struct with_block *block, uint64_t method)
{
	uint64_t function = cpython_member(py, method, BOUND_FUNCTION);

	block->self = cpython_member(py, method, BOUND_SELF);
	if (cpython_is_a(py, method, "method"))
		return take_pair(py, block, function, block->self);
	return cpython_is_a(py, method, "builtin_function_or_method") &&
	       take_builtin(py, block, function);
}

unsigned with_blocks(const struct cpython *py, const struct frame *frame, struct with_block *block)
{
	unsigned depth = has_blocks(py) ? depth_by_blocks(py, frame) : depth_by_handlers(py, frame);
	uint64_t at = has_blocks(py) ? cpython_peek_word(py, frame->at + py->at.frame_stack) :
				       frame->values;
	uint64_t value[DEPTH_MAX];
	bool pairs = py->at.minor >= 14;
	unsigned seen = 0;

	if (!depth || depth > DEPTH_MAX || !cpython_peek(py, value, at, 8 * depth))
		return 0;
	for (unsigned i = 0; i < depth && seen < WITH_MAX; i++) {
		uint64_t method = frame_untagged(py, value[i]),
			 self = pairs && i + 1 < depth ? frame_untagged(py, value[i + 1]) : 0;

		if (!method || (pairs && !self))
			continue;
		block[seen].depth = i + 1 + pairs;
		seen += pairs ? take_pair(py, &block[seen], method, self) :
				with_bound(py, &block[seen], method);
	}
	return seen;
}

unsigned with_line(const struct cpython *py, const struct frame *frame,
		   const struct with_block *block)
{
	return has_blocks(py) ? line_by_blocks(py, frame, block->depth) :
				line_by_handlers(py, frame, block->depth);
}

size_t with_text(const struct cpython *py, const struct frame *frame,
		 const struct with_block *block, char *text, size_t bytes)
{
	return frame_line_text(py, frame, with_line(py, frame, block), text, bytes);
}

bool with_exit_is(const struct cpython *py, const struct with_block *block, const char *function,
		  const char *file)
{
	struct frame exit = {.code = block->exit};

	return !block->builtin && frame_read_code(py, &exit) && frame_is(py, &exit, function, file);
}

bool with_is_of(const struct cpython *py, const struct with_block *block, const char *file)
{
	return with_exit_is(py, block, "__exit__", file);
}
