/*
 * Frames of a Python thread: which thread, which frames, in which words. python_find.c found
 * CPython, python_object.c reads its objects. Every function looks at memory as it is now and keeps
 * nothing.
 */
#include "python.h"

#include "python_object.h"

#define FRAMES_MAX 64 /* in one text */
#define DEPTH_MAX 4096 /* frames walked to reach the outermost ones */
#define THREADS_MAX 4096

/* ---- frames ---- */

struct frame {
	uint64_t previous, locals;
	uint64_t name, file, lines; /* two str and the line table */
	unsigned first_line;
	long instr; /* byte offset of the instruction under way; negative: none yet */
	bool shown; /* false for what Python itself leaves out of tracebacks */
};

enum frame_owner { OWNER_GENERATOR = 1, OWNER_C_STACK = 3 };

/* Stored as an offset up to 3.10 (counting instructions there), as an address from 3.11 on. */
static long frame_instr(const char *bytes, uint64_t code)
{
	if (python.at.minor >= 11)
		return (long)(word_at(bytes, python.at.frame_instr) - code - python.at.code_units);
	return (long)int_at(bytes, python.at.frame_instr) * (python.at.minor == 10 ? 2 : 1);
}

/* _PyFrame_IsIncomplete: before its first traceable instruction Python hides a frame. */
static bool frame_begun(const struct frame *frame, const char *code, int owner)
{
	return python.at.minor < 11 || owner == OWNER_GENERATOR ||
	       frame->instr >= 2l * int_at(code, python.at.code_firsttraceable);
}

static bool frame_read_code(struct frame *frame, uint64_t at, int owner)
{
	char code[PYTHON_CODE_BYTES];

	if (!python_peek(code, at, python.code_bytes) ||
	    word_at(code, PYTHON_OB_TYPE) != python.code_type)
		return false;
	frame->name = word_at(code, python.at.code_name);
	frame->file = word_at(code, python.at.code_filename);
	frame->lines = word_at(code, python.at.code_lines);
	frame->first_line = (unsigned)int_at(code, python.at.code_firstlineno);
	frame->shown = frame_begun(frame, code, owner);
	return true;
}

/* `bytes`: a copy of the frame at `at`. */
static bool frame_read(struct frame *frame, uint64_t at, const char *bytes)
{
	uint64_t code = word_at(bytes, python.at.frame_code);
	int owner = python.at.frame_owner ? bytes[python.at.frame_owner] : 0;

	frame->previous = word_at(bytes, python.at.frame_previous);
	frame->locals = at + python.at.frame_locals;
	frame->instr = frame_instr(bytes, code);
	frame->shown = false;
	return owner == OWNER_C_STACK || frame_read_code(frame, code, owner);
}

struct walk {
	uint64_t next;
	unsigned left;
	uint64_t from; /* address of chunk[0] */
	size_t have;
	char chunk[PYTHON_CHUNK];
};

/*
 * From 3.11 on a caller's frame mostly stands right below its callee's: one peek serves about
 * three. It does not reach below the page of the frame, which is the only one that must be there.
 */
static const char *walk_bytes(struct walk *walk)
{
	uint64_t at = walk->next, in_page = at % 4096;
	size_t below = PYTHON_CHUNK - PYTHON_FRAME_BYTES;

	if (at >= walk->from && at + python.frame_bytes <= walk->from + walk->have)
		return walk->chunk + (at - walk->from);
	walk->from = at - (in_page < below ? in_page : below);
	walk->have = at - walk->from + python.frame_bytes;
	return python_peek(walk->chunk, walk->from, walk->have) ? walk->chunk + (at - walk->from) :
								  NULL;
}

/* The next frame that Python would show; false at the end, or where memory makes no sense. */
static bool walk_on(struct walk *walk, struct frame *frame)
{
	while (walk->next && walk->left) {
		const char *bytes = walk_bytes(walk);

		if (!bytes || !frame_read(frame, walk->next, bytes))
			return false;
		walk->next = frame->previous;
		walk->left--;
		if (frame->shown)
			return true;
	}
	return false;
}

/* ---- threads ---- */

struct state {
	uint64_t next, prev, interp, thread_id;
	uint64_t frame; /* the innermost one, or 0 */
};

static bool state_read(struct state *state, uint64_t at)
{
	char bytes[PYTHON_STATE_BYTES];

	if (!python_peek(bytes, at, python.state_bytes))
		return false;
	state->next = word_at(bytes, python.at.state_next);
	state->prev = word_at(bytes, python.at.state_prev);
	state->interp = word_at(bytes, python.at.state_interp);
	state->thread_id = word_at(bytes, python.at.state_thread_id);
	state->frame = word_at(bytes, python.at.state_frame);
	if (python.at.cframe)
		state->frame = python_peek_word(state->frame + python.at.cframe_frame);
	return true;
}

/*
 * Along the interpreter's list of threads, one way. PyThreadState_Next would do the same, but the
 * list changes under Python's own lock, not under the GIL: an entry may be freed while we stand on
 * it.
 */
static uint64_t find_frame(const struct state *own, uint64_t pthread, bool forward)
{
	struct state state = *own;

	for (unsigned i = 0; i < THREADS_MAX; i++) {
		if (!state_read(&state, forward ? state.next : state.prev) ||
		    state.interp != own->interp)
			return 0;
		if (state.thread_id == pthread && state.frame)
			return state.frame;
	}
	return 0;
}

/* The innermost frame of a thread, 0: none, or not to be read now. */
static uint64_t top_frame(uint64_t pthread)
{
	struct state own;
	uint64_t frame;

	if (!python_present() || python.limit || python.is_finalizing() ||
	    !state_read(&own, (uint64_t)python.this_state()))
		return 0;
	if (!pthread || pthread == own.thread_id)
		return own.frame;
	if (!python_holds_gil())
		return 0;
	frame = find_frame(&own, pthread, true);
	return frame ? frame : find_frame(&own, pthread, false);
}

static void walk_open(struct walk *walk, uint64_t pthread)
{
	walk->next = top_frame(pthread);
	walk->left = DEPTH_MAX;
	walk->from = walk->have = 0;
}

/* ---- the stack as text ---- */

static struct writer writer_open(char *text, size_t bytes)
{
	return (struct writer){text, text, bytes ? text + bytes - 1 : text};
}

static size_t writer_close(struct writer *w, size_t bytes)
{
	if (bytes)
		*w->at = '\0';
	return (size_t)(w->at - w->start);
}

/* Where the last frame's file name was written: often the next frame has the same. */
struct last_file {
	uint64_t object;
	const char *text, *end;
};

static void writer_file(struct writer *w, struct last_file *last, uint64_t object)
{
	if (last->object == object) {
		for (const char *c = last->text; c < last->end; c++)
			writer_byte(w, (unsigned char)*c);
		return;
	}
	last->text = w->at;
	writer_string(w, object);
	last->object = object;
	last->end = w->at;
}

/* A line that does not fit is taken back. */
static bool writer_frame(struct writer *w, struct last_file *last, const struct frame *frame)
{
	char *line = w->at;

	writer_string(w, frame->name);
	writer_byte(w, '\t');
	writer_file(w, last, frame->file);
	writer_byte(w, '\t');
	writer_decimal(w, python_line(frame->lines, frame->first_line, frame->instr));
	if (w->at == w->end) {
		w->at = line;
		return false;
	}
	writer_byte(w, '\n');
	return true;
}

size_t python_stack(uint64_t pthread, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct last_file last = {0};
	struct walk walk;
	struct frame frame;

	walk_open(&walk, pthread);
	for (unsigned i = 0; i < FRAMES_MAX && walk_on(&walk, &frame); i++)
		if (!writer_frame(&w, &last, &frame))
			break;
	return writer_close(&w, bytes);
}

/* ---- the outermost frames ---- */

#define OUTER 8

/* The last frames of a walk, and one place for the try that fails at its end. */
struct outer {
	unsigned seen, count;
	struct frame ring[OUTER + 1];
};

static void outer_read(struct outer *outer, uint64_t pthread)
{
	struct walk walk;

	outer->seen = 0;
	walk_open(&walk, pthread);
	while (walk_on(&walk, &outer->ring[outer->seen % (OUTER + 1)]))
		outer->seen++;
	/* A walk that was cut short has seen nothing outermost. */
	outer->count = walk.next ? 0 : outer->seen < OUTER ? outer->seen : OUTER;
}

/* 0 is the outermost. */
static const struct frame *outer_frame(const struct outer *outer, unsigned i)
{
	return &outer->ring[(outer->seen - 1 - i) % (OUTER + 1)];
}

static bool frame_is(const struct frame *frame, const char *function, const char *file)
{
	return python_string_ends(frame->name, function) && python_string_ends(frame->file, file);
}

/* How threading begins a thread in all versions: _bootstrap calls _bootstrap_inner. */
static bool is_threading(const struct outer *outer)
{
	return outer->count > 1 &&
	       frame_is(outer_frame(outer, 1), "_bootstrap_inner", "threading.py");
}

/*
 * By memory, not by PyObject_GetAttrString: that one allocates, and would run a subclass's
 * __getattribute__, in the middle of whatever libc call the program is in.
 */
size_t python_thread_name(uint64_t pthread, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct outer outer;
	uint64_t name = 0;

	outer_read(&outer, pthread);
	if (is_threading(&outer))
		name = python_attribute(python_peek_word(outer_frame(&outer, 1)->locals), "_name");
	if (name)
		writer_string(&w, name);
	return writer_close(&w, bytes);
}

/* The thread runs its target: its own run(), or something that Thread.run() has called. */
static bool target_reached(const struct outer *outer)
{
	const struct frame *run;

	if (outer->count < 3)
		return false;
	run = outer_frame(outer, 2);
	return !python_string_ends(run->file, "threading.py") ||
	       (outer->count > 3 && python_string_ends(run->name, "run"));
}

/* "queues.py": multiprocessing's own, and its descendants in billiard, loky and multiprocess. */
enum mpsan_thread_role python_role(uint64_t pthread)
{
	struct outer outer;

	outer_read(&outer, pthread);
	for (unsigned i = 2; i < outer.count; i++)
		if (frame_is(outer_frame(&outer, i), "_feed", "queues.py"))
			return MPSAN_ROLE_QUEUE_FEEDER;
	if (!outer.count || (is_threading(&outer) && !target_reached(&outer)))
		return MPSAN_ROLE_UNKNOWN;
	return MPSAN_ROLE_OTHER;
}
