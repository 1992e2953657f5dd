/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the frames of a Python thread, writes them as text, and recognises what the thread does. */
#include "frame.h"

#define FRAMES_MAX 64 /* in one text */
#define DEPTH_MAX 4096 /* frames walked to reach the outermost ones */

/* ---- threads ---- */

bool state_read(const struct cpython *py, struct state *state, uint64_t at)
{
	char bytes[CPYTHON_STATE_BYTES];

	if (!cpython_peek(py, bytes, at, py->state_bytes))
		return false;
	state->next = word_at(bytes, py->at.state_next);
	state->prev = word_at(bytes, py->at.state_prev);
	state->interp = word_at(bytes, py->at.state_interp);
	state->thread_id = word_at(bytes, py->at.state_thread_id);
	state->frame = word_at(bytes, py->at.state_frame);
	if (py->at.cframe)
		state->frame = cpython_peek_word(py, state->frame + py->at.cframe_frame);
	return true;
}

/* ---- frames ---- */

enum frame_owner { OWNER_GENERATOR = 1, OWNER_C_STACK = 3 /* or above: no Python frame */ };

uint64_t frame_untagged(const struct cpython *py, uint64_t reference)
{
	if (py->at.minor < 14)
		return reference;
	return (reference & 3) == 3 ? 0 : reference & ~3ull;
}

/* Free-threaded, each thread specializes a copy of the instructions: { size, copies }. */
static uint64_t own_bytecode(const struct cpython *py, const char *bytes, uint64_t code)
{
	uint64_t copies = cpython_peek_word(py, code + py->at.code_bytecodes);
	uint32_t own = (uint32_t)int_at(bytes, py->at.frame_bytecode);

	return cpython_peek_word(py, copies + 8 + 8ull * own);
}

/*
 * The byte offset of the current instruction: stored as an offset up to 3.10 (in instructions
 * there), as an address from 3.11 on.
 */
static long frame_instr(const struct cpython *py, const char *bytes, uint64_t code)
{
	if (py->at.code_bytecodes)
		return (long)(word_at(bytes, py->at.frame_instr) - own_bytecode(py, bytes, code));
	if (py->at.minor >= 11)
		return (long)(word_at(bytes, py->at.frame_instr) - code - py->at.code_units);
	return (long)int_at(bytes, py->at.frame_instr) * (py->at.minor == 10 ? 2 : 1);
}

/*
 * Whether Python would show the frame: before its first traceable instruction it does not
 * (_PyFrame_IsIncomplete).
 */
static bool frame_begun(const struct cpython *py, const struct frame *frame, const char *code)
{
	return py->at.minor < 11 || frame->owner == OWNER_GENERATOR ||
	       frame->instr >= 2l * int_at(code, py->at.code_firsttraceable);
}

bool frame_read_code(const struct cpython *py, struct frame *frame)
{
	char code[CPYTHON_CODE_BYTES];

	if (!cpython_peek(py, code, frame->code, py->code_bytes) ||
	    word_at(code, py->at.object_type) != py->code_type)
		return false;
	frame->name = word_at(code, py->at.code_name);
	frame->file = word_at(code, py->at.code_filename);
	frame->lines = word_at(code, py->at.code_lines);
	frame->first_line = (unsigned)int_at(code, py->at.code_firstlineno);
	if (py->at.minor >= 11) {
		frame->handlers = word_at(code, py->at.code_handlers);
		frame->values = frame->locals + 8ull * (uint32_t)int_at(code, py->at.code_locals);
	}
	frame->shown = frame_begun(py, frame, code);
	return true;
}

bool frame_is(const struct cpython *py, const struct frame *frame, const char *function,
	      const char *file)
{
	return cpython_string_ends(py, frame->name, function) &&
	       cpython_string_ends(py, frame->file, file);
}

uint64_t frame_local(const struct cpython *py, const struct frame *frame, unsigned i)
{
	return frame_untagged(py, cpython_peek_word(py, frame->locals + 8ull * i));
}

/* Fills `frame` from `bytes`, a copy of the frame at `at`. */
static void frame_read(const struct cpython *py, struct frame *frame, uint64_t at,
		       const char *bytes)
{
	*frame = (struct frame){.at = at};
	frame->code = frame_untagged(py, word_at(bytes, py->at.frame_code));
	frame->owner = py->at.frame_owner ? bytes[py->at.frame_owner] : 0;
	frame->previous = word_at(bytes, py->at.frame_previous);
	frame->locals = at + py->at.frame_locals;
	frame->instr = frame_instr(py, bytes, frame->code);
}

/*
 * The bytes of the next frame. From 3.11 on a caller's frame is mostly right below its callee's, so
 * one peek serves about three. It does not reach below the frame's page, the only one that must
 * exist.
 */
static const char *walk_bytes(struct walk *walk)
{
	uint64_t at = walk->next, in_page = at % 4096;
	size_t below = WALK_CHUNK - CPYTHON_FRAME_BYTES;

	/* No additions here: an address read from changing memory may be close to 2^64. */
	if (walk->have && at - walk->from <= walk->have - walk->py->frame_bytes)
		return walk->chunk + (at - walk->from);
	walk->from = at - (in_page < below ? in_page : below);
	walk->have = at - walk->from + walk->py->frame_bytes;
	if (!cpython_peek(walk->py, walk->chunk, walk->from, walk->have))
		walk->have = 0;
	return walk->have ? walk->chunk + (at - walk->from) : NULL;
}

void walk_open(struct walk *walk, const struct cpython *py, uint64_t frame)
{
	walk->py = py;
	walk->next = frame;
	walk->left = DEPTH_MAX;
	walk->from = walk->have = 0;
}

bool walk_step(struct walk *walk, struct frame *frame)
{
	const char *bytes = walk->next && walk->left ? walk_bytes(walk) : NULL;

	if (!bytes)
		return false;
	frame_read(walk->py, frame, walk->next, bytes);
	walk->left--;
	walk->next = frame->previous;
	return true;
}

bool frame_is_of_c(const struct frame *frame)
{
	return frame->owner >= OWNER_C_STACK;
}

bool walk_on(struct walk *walk, struct frame *frame)
{
	uint64_t at;

	while (at = walk->next, walk_step(walk, frame)) {
		if (frame_is_of_c(frame))
			continue;
		if (!frame_read_code(walk->py, frame)) {
			walk->next = at; /* not the end of the stack */
			return false;
		}
		if (frame->shown)
			return true;
	}
	return false;
}

/* ---- the stack as text ---- */

/* The last frame's file name in the text: the next frame often has the same one. */
struct last_file {
	uint64_t object;
	const char *text, *end;
};

static void writer_file(struct writer *w, const struct cpython *py, struct last_file *last,
			uint64_t object)
{
	if (last->object == object) {
		for (const char *c = last->text; c < last->end; c++)
			writer_byte(w, (unsigned char)*c);
		return;
	}
	last->text = w->at;
	writer_string(w, py, object);
	last->object = object;
	last->end = w->at;
}

/* Appends a frame's line; a line that does not fit is removed again. */
static bool writer_frame(struct writer *w, const struct cpython *py, struct last_file *last,
			 const struct frame *frame)
{
	char *line = w->at;

	writer_string(w, py, frame->name);
	writer_byte(w, '\t');
	writer_file(w, py, last, frame->file);
	writer_byte(w, '\t');
	writer_decimal(w, cpython_line(py, frame->lines, frame->first_line, frame->instr));
	if (w->at == w->end) {
		w->at = line;
		return false;
	}
	writer_byte(w, '\n');
	return true;
}

size_t frame_line_text(const struct cpython *py, const struct frame *frame, unsigned line,
		       char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);

	if (!line)
		return 0;
	writer_string(&w, py, frame->name);
	writer_byte(&w, '\t');
	writer_string(&w, py, frame->file);
	writer_byte(&w, '\t');
	writer_decimal(&w, line);
	return w.at == w.end ? 0 : writer_close(&w, bytes);
}

size_t cpython_stack(const struct cpython *py, uint64_t top, struct walk *walk, char *text,
		     size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct last_file last = {0};
	struct frame frame;

	walk_open(walk, py, top);
	for (unsigned i = 0; i < FRAMES_MAX && walk_on(walk, &frame); i++)
		if (!writer_frame(&w, py, &last, &frame))
			break;
	return writer_close(&w, bytes);
}

/* ---- the outermost frames ---- */

#define OUTER 8

/* The outermost frames of a walk, and one spare entry for the step that fails at its end. */
struct outer {
	unsigned seen, count;
	struct frame ring[OUTER + 1];
};

static void outer_read(struct outer *outer, const struct cpython *py, uint64_t top)
{
	struct walk walk;

	outer->seen = 0;
	walk_open(&walk, py, top);
	while (walk_on(&walk, &outer->ring[outer->seen % (OUTER + 1)]))
		outer->seen++;
	/* A truncated walk did not reach the outermost frames. */
	outer->count = walk.next ? 0 : outer->seen < OUTER ? outer->seen : OUTER;
}

/* The number-th frame from the outside, 0 being the outermost. */
static const struct frame *outer_frame(const struct outer *outer, unsigned i)
{
	return &outer->ring[(outer->seen - 1 - i) % (OUTER + 1)];
}

/*
 * Whether the thread was started by threading: _bootstrap calls _bootstrap_inner in all versions.
 */
static bool is_threading(const struct cpython *py, const struct outer *outer)
{
	return outer->count > 1 &&
	       frame_is(py, outer_frame(outer, 1), "_bootstrap_inner", "threading.py");
}

/*
 * Reads the thread's name as memory. PyObject_GetAttrString would allocate, and could run a
 * subclass's __getattribute__ in the middle of whatever libc call the program is in.
 */
size_t cpython_thread_name(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct outer outer;
	uint64_t name = 0;

	outer_read(&outer, py, top);
	if (is_threading(py, &outer))
		name = cpython_attribute(py, frame_local(py, outer_frame(&outer, 1), 0), "_name");
	if (name)
		writer_string(&w, py, name);
	return writer_close(&w, bytes);
}

size_t cpython_thread_function(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct outer outer;

	outer_read(&outer, py, top);
	if (outer.count)
		writer_string(&w, py, outer_frame(&outer, 0)->name);
	return writer_close(&w, bytes);
}

/* Whether the thread already runs its target: its own run(), or what Thread.run() called. */
static bool target_reached(const struct cpython *py, const struct outer *outer)
{
	const struct frame *run;

	if (outer->count < 3)
		return false;
	run = outer_frame(outer, 2);
	return !cpython_string_ends(py, run->file, "threading.py") ||
	       (outer->count > 3 && cpython_string_ends(py, run->name, "run"));
}

/*
 * Recognises queue feeders by "queues.py": that of multiprocessing and of its derivatives billiard,
 * loky and multiprocess.
 */
enum mpsan_thread_role cpython_role(const struct cpython *py, uint64_t top)
{
	struct outer outer;

	outer_read(&outer, py, top);
	for (unsigned i = 2; i < outer.count; i++)
		if (frame_is(py, outer_frame(&outer, i), "_feed", "queues.py"))
			return MPSAN_ROLE_QUEUE_FEEDER;
	if (!outer.count || (is_threading(py, &outer) && !target_reached(py, &outer)))
		return MPSAN_ROLE_UNKNOWN;
	return MPSAN_ROLE_OTHER;
}
