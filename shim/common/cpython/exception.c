/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the exceptions of a thread. Offsets that are the same from 3.8 to 3.15, or changed once, are defined
 * here, the others in layout.h.
 */
#include "exception.h"

#include "handler.h"
#include "reach.h"

#define ITEMS_MAX 256u /* generators that a thread is in */
#define FRAMES_MAX 32u /* the innermost ones */
#define LENGTH_MAX 1024u
#define BASES_MAX 16u
#define LOGGERS_MAX 256u

/* _PyErr_StackItem: { exc_type, exc_value, exc_traceback, previous_item }; { exc_value, previous_item } from 3.11 on */
#define ITEM_BYTES 32u

/* PyBaseExceptionObject: { dict, args, notes (from 3.11 on), traceback, context, cause, suppress_context } */
#define EXCEPTION_ARGS 24
#define EXCEPTION_TRACEBACK 32
#define EXCEPTION_BYTES 96 /* with the larger head */
/* PyOSErrorObject, behind it: { myerrno, strerror } */
#define EXCEPTION_SYSTEM 64

#define WEAK_OBJECT 16 /* PyWeakReference.wr_object */

#define TRACEBACK_NEXT 16
#define TRACEBACK_FRAME 24
#define TRACEBACK_LASTI 32
#define TRACEBACK_LINE 36
#define TRACEBACK_BYTES 56 /* with the larger head */
#define FRAME_OBJECT_FRAME 24 /* from 3.11 on a frame object and its frame are separate */

/* ---- which one ---- */

uint64_t cpython_handled(const struct cpython *py, uint64_t state)
{
	bool old = py->at.minor < 11;
	uint64_t at = py->at.state_exc_info && state ?
			      cpython_peek_word(py, state + py->at.state_exc_info) :
			      0;
	char item[ITEM_BYTES];

	for (unsigned i = 0; i < ITEMS_MAX; i++, at = word_at(item, old ? 24 : 8)) {
		if (!cpython_peek(py, item, at, old ? ITEM_BYTES : 16))
			return 0;
		if (word_at(item, old ? 8 : 0) && word_at(item, old ? 8 : 0) != py->none)
			return word_at(item, old ? 8 : 0);
	}
	return 0;
}

uint64_t cpython_uncaught(const struct cpython *py, uint64_t interp)
{
	uint64_t modules = interp ? cpython_peek_word(py, interp + py->at.interp_modules) : 0,
		 sys = cpython_dict_search(py, modules, "sys"),
		 names = sys ? cpython_member(py, sys, CPYTHON_MODULE_DICT) : 0,
		 last = cpython_dict_search(py, names,
					    py->at.minor < 12 ? "last_value" : "last_exc");

	return last == py->none ? 0 : last;
}

/* ---- one ---- */

static unsigned at_in(const struct cpython *py, unsigned offset)
{
	return (unsigned)cpython_at(py, 0, offset);
}

/* Copies an object up to a member; false: not readable, or its head is larger than any. */
static bool copy(const struct cpython *py, char *bytes, size_t most, uint64_t object, unsigned end)
{
	return at_in(py, end) <= most && cpython_peek(py, bytes, object, at_in(py, end));
}

static uint64_t not_none(const struct cpython *py, uint64_t object)
{
	return object == py->none ? 0 : object;
}

bool cpython_exception_read(const struct cpython *py, struct cpython_exception *exception,
			    uint64_t object)
{
	/* From 3.11 on notes stand before the traceback. */
	unsigned member = EXCEPTION_TRACEBACK + (py->at.minor < 11 ? 0 : 8),
		 traceback = at_in(py, member);
	char bytes[EXCEPTION_BYTES];
	uint64_t type;

	memset(exception, 0, sizeof(*exception));
	if (!copy(py, bytes, sizeof(bytes), object, member + 24 + 1))
		return false;
	type = word_at(bytes, py->at.object_type);
	if (!reach_type_has(py, type, FLAG_EXCEPTION))
		return false;
	*exception = (struct cpython_exception){
		.object = object,
		.type = type,
		.args = word_at(bytes, at_in(py, EXCEPTION_ARGS)),
		.traceback = not_none(py, word_at(bytes, traceback)),
		.cause = not_none(py, word_at(bytes, traceback + 16)),
		.context = bytes[traceback + 24] ? 0 : not_none(py, word_at(bytes, traceback + 8)),
	};
	return true;
}

bool cpython_exception_before(const struct cpython *py, struct cpython_exception *before,
			      const struct cpython_exception *exception)
{
	return cpython_exception_read(py, before, exception->cause ?: exception->context);
}

/* ---- its type ---- */

/* Whether a class is, or is derived from, a class with that name, which is the interpreter's own or made by a statement. */
static bool is_made_of(const struct cpython *py, uint64_t type, const char *name, bool is_made)
{
	size_t bytes = strlen(name) + 1;
	char text[24];
	uint64_t of;

	for (unsigned i = 0; i < BASES_MAX && (of = reach_class(py, type, i)); i++)
		if (reach_type_has(py, of, FLAG_HEAP) == is_made &&
		    cpython_peek(py, text, cpython_member(py, of, CPYTHON_TYPE_NAME), bytes) &&
		    !memcmp(text, name, bytes))
			return true;
	return false;
}

static bool is_kind_of(const struct cpython *py, uint64_t type, const char *name)
{
	return is_made_of(py, type, name, false);
}

/* A class that a statement made has a str as its qualified name, and its module among its names. */
static void write_made(struct writer *w, const struct cpython *py, uint64_t type)
{
	uint64_t module = cpython_dict_find(py, cpython_member(py, type, TYPE_DICT), "__module__");

	if (module && cpython_type(py, module) == py->unicode_type &&
	    !cpython_string_is(py, module, "__main__") &&
	    !cpython_string_is(py, module, "builtins")) {
		writer_string(w, py, module);
		writer_byte(w, '.');
	}
	writer_string(w, py, cpython_peek_word(py, type + py->at.type_cached_keys - 8));
}

size_t cpython_exception_type(const struct cpython *py, const struct cpython_exception *exception,
			      char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);

	if (!reach_type_has(py, exception->type, FLAG_HEAP))
		return cpython_c_text(py, cpython_member(py, exception->type, CPYTHON_TYPE_NAME),
				      text, bytes);
	write_made(&w, py, exception->type);
	return writer_close(&w, bytes);
}

/* ---- what it says ---- */

static void write_number(struct writer *w, const struct cpython *py, uint64_t number)
{
	if (cpython_is_a(py, number, "int"))
		writer_decimal(w, (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE));
}

static void write_system_error(struct writer *w, const struct cpython *py, uint64_t object)
{
	unsigned at = EXCEPTION_SYSTEM + (py->at.minor < 11 ? 0 : 8);
	uint64_t number = cpython_member(py, object, at), text = cpython_member(py, object, at + 8),
		 name = cpython_member(py, object, at + 16);

	if (!number || !text || cpython_type(py, text) != py->unicode_type)
		return;
	writer_chars(w, "[Errno ");
	write_number(w, py, number);
	writer_byte(w, ']');
	writer_byte(w, ' ');
	writer_first_line(w, py, text);
	if (!name || cpython_type(py, name) != py->unicode_type)
		return;
	writer_chars(w, ": '");
	writer_first_line(w, py, name);
	writer_byte(w, '\'');
}

size_t cpython_exception_text(const struct cpython *py, const struct cpython_exception *exception,
			      char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t args = exception->args;

	if (!args || !reach_type_has(py, cpython_type(py, args), FLAG_TUPLE))
		return writer_close(&w, bytes);
	if (cpython_member(py, args, CPYTHON_SIZE) == 1)
		writer_first_line(&w, py, cpython_peek_word(py, args + py->at.tuple_items));
	else if (is_kind_of(py, exception->type, "OSError"))
		write_system_error(&w, py, exception->object);
	return writer_close(&w, bytes);
}

/* ---- where it was raised ---- */

/* The innermost entries of a traceback, which is a list from the outermost one on. */
struct entries {
	unsigned seen;
	uint64_t ring[FRAMES_MAX];
};

static void entries_read(struct entries *entries, const struct cpython *py, uint64_t at)
{
	for (entries->seen = 0; at && entries->seen < LENGTH_MAX;
	     at = not_none(py, cpython_member(py, at, TRACEBACK_NEXT)))
		entries->ring[entries->seen++ % FRAMES_MAX] = at;
}

/* One of them, the innermost one being 0; 0: there are no more. */
static uint64_t entries_at(const struct entries *entries, unsigned i)
{
	return i < entries->seen && i < FRAMES_MAX ?
		       entries->ring[(entries->seen - 1 - i) % FRAMES_MAX] :
		       0;
}

/* Its frame, with the code object and the byte offset of the instruction; the frame itself may be gone. */
static bool entry_read(const struct cpython *py, uint64_t at, struct frame *frame, int *line)
{
	char entry[TRACEBACK_BYTES];
	uint64_t of;

	if (!copy(py, entry, sizeof(entry), at, TRACEBACK_LINE + 4))
		return false;
	of = word_at(entry, at_in(py, TRACEBACK_FRAME));
	if (py->at.minor >= 11)
		of = cpython_member(py, of, FRAME_OBJECT_FRAME);
	*frame = (struct frame){
		.at = of,
		.code = of ? frame_untagged(py, cpython_peek_word(py, of + py->at.frame_code)) : 0,
		.instr = int_at(entry, at_in(py, TRACEBACK_LASTI)),
	};
	*line = int_at(entry, at_in(py, TRACEBACK_LINE));
	return true;
}

/* From 3.12 on the line is -1 until somebody asks for it. */
static bool write_entry(struct writer *w, const struct cpython *py, uint64_t at)
{
	char *begin = w->at;
	struct frame frame;
	int line;

	if (!entry_read(py, at, &frame, &line))
		return false;
	if (!frame_read_code(py, &frame))
		return true;
	if (line <= 0)
		line = (int)cpython_line(py, frame.lines, frame.first_line, frame.instr);
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

size_t cpython_exception_frames(const struct cpython *py, const struct cpython_exception *exception,
				char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	struct entries entries;
	uint64_t at;

	entries_read(&entries, py, exception->traceback);
	for (unsigned i = 0; (at = entries_at(&entries, i)) && write_entry(&w, py, at); i++)
		;
	return writer_close(&w, bytes);
}

uint64_t cpython_exception_place(const struct cpython *py,
				 const struct cpython_exception *exception)
{
	struct entries entries;
	struct frame frame = {0};
	uint64_t hash = exception->type;
	int line;

	entries_read(&entries, py, exception->traceback);
	if (entries_at(&entries, 0) && entry_read(py, entries_at(&entries, 0), &frame, &line))
		hash = (hash ^ frame.code) * 0x9e3779b97f4a7c15ull ^ (uint64_t)frame.instr;
	return hash * 0xff51afd7ed558ccdull | 1;
}

/* A handler is in the frame of a traceback's first entry. */
bool cpython_exception_is_parents(const struct cpython *py,
				  const struct cpython_exception *exception, uint64_t top)
{
	struct frame handler, frame;
	struct walk walk;
	int line;

	if (!entry_read(py, exception->traceback, &handler, &line))
		return false;
	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame) && frame.at != handler.at)
		if (frame_is(py, &frame, "_bootstrap", "process.py"))
			return true;
	return false;
}

/* An error: not what ends threads, generators and tasks, nor the end of an iterator. */
static bool is_error(const struct cpython *py, uint64_t type)
{
	return is_kind_of(py, type, "Exception") && !is_kind_of(py, type, "StopIteration") &&
	       !is_kind_of(py, type, "StopAsyncIteration");
}

/*
 * Whether a logger may hand what it is told to another thread: then who logs does not write itself. logging has a list of
 * weak references to all handlers.
 */
static bool logs_apart(const struct cpython *py, uint64_t interp)
{
	uint64_t modules = cpython_peek_word(py, interp + py->at.interp_modules),
		 logging = cpython_dict_search(py, modules, "logging"),
		 names = logging ? cpython_member(py, logging, CPYTHON_MODULE_DICT) : 0,
		 list = names ? cpython_dict_search(py, names, "_handlerList") : 0,
		 count = list && cpython_is_a(py, list, "list") ?
				 cpython_member(py, list, CPYTHON_SIZE) :
				 0,
		 items = count ? cpython_member(py, list, CPYTHON_LIST_ITEMS) : 0, handler;

	for (uint64_t i = 0; i < count && i < LOGGERS_MAX; i++) {
		handler = cpython_member(py, cpython_peek_word(py, items + 8 * i), WEAK_OBJECT);
		if (handler && is_made_of(py, cpython_type(py, handler), "QueueHandler", true))
			return true;
	}
	return false;
}

uint64_t cpython_cleans_up(const struct cpython *py, const struct cpython_exception *exception,
			   uint64_t top, uint64_t interp)
{
	struct frame handler, frame;
	struct walk walk;
	int line;

	if (!is_error(py, exception->type) || logs_apart(py, interp) ||
	    !entry_read(py, exception->traceback, &handler, &line))
		return 0;
	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (frame.at == handler.at)
			return handler_passes_on(py, &frame, handler.instr) ?
				       cpython_exception_place(py, exception) :
				       0;
	return 0;
}

/* ---- the end of the main module ---- */

static bool is_main(const struct cpython *py, const struct frame *frame)
{
	return (cpython_string_is(py, frame->name, "<module>") &&
		!cpython_string_is(py, frame->file, "<stdin>")) ||
	       cpython_string_is(py, frame->name, "_run_module_as_main");
}

/* The outermost frame of a main thread is the main module's, or that which runs it, up to the end. */
static bool is_at_end(const struct cpython *py, uint64_t top)
{
	struct frame frame, last = {0};
	struct walk walk;

	for (walk_open(&walk, py, top); walk_on(&walk, &frame);)
		last = frame;
	return last.code && !walk.next && !is_main(py, &last) &&
	       !cpython_string_is(py, last.name, "<module>");
}

bool cpython_left_main(const struct cpython *py, const struct state *state,
		       struct cpython_exception *exception)
{
	struct frame outermost;
	int line;

	return !state->next &&
	       cpython_exception_read(py, exception, cpython_uncaught(py, state->interp)) &&
	       entry_read(py, exception->traceback, &outermost, &line) &&
	       frame_read_code(py, &outermost) && is_main(py, &outermost);
}

bool cpython_ended_main(const struct cpython *py, const struct state *state,
			struct cpython_exception *exception)
{
	return is_at_end(py, state->frame) && cpython_left_main(py, state, exception);
}

/* ---- all of it as text ---- */

static size_t room(const struct writer *w, size_t most)
{
	size_t left = (size_t)(w->end - w->at) + 1;

	return left < most ? left : most;
}

static size_t write_raised(const struct cpython *py, const struct cpython_exception *exception,
			   const char *how, enum cpython_tell tell, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);

	writer_chars(&w, how);
	writer_byte(&w, '\t');
	w.at += cpython_exception_type(py, exception, w.at, room(&w, CPYTHON_TYPE_BYTES));
	writer_byte(&w, '\t');
	if (tell == CPYTHON_TELL_ALL)
		w.at += cpython_exception_text(py, exception, w.at, room(&w, CPYTHON_TEXT_BYTES));
	writer_byte(&w, '\n');
	if (w.at == w.end)
		w.at = w.start;
	else
		w.at += cpython_exception_frames(py, exception, w.at, room(&w, bytes));
	return writer_close(&w, bytes);
}

size_t cpython_raised_text(const struct cpython *py, const struct cpython_exception *exception,
			   const char *how, enum cpython_tell tell, char *text, size_t bytes)
{
	size_t length = write_raised(py, exception, how, tell, text, bytes);
	struct cpython_exception before;

	if (!length || length + 1 >= bytes || !cpython_exception_before(py, &before, exception))
		return length;
	text[length++] = '\n';
	return length + write_raised(py, &before, exception->cause ? "cause" : "context", tell,
				     text + length, bytes - length);
}

size_t cpython_raised(const struct cpython *py, uint64_t at, const struct state *state,
		      enum cpython_tell tell, char *text, size_t bytes)
{
	struct cpython_exception exception;
	const char *how = "handles";

	if (tell == CPYTHON_TELL_NOTHING)
		return 0;
	if (!cpython_exception_read(py, &exception, cpython_handled(py, at)) ||
	    cpython_exception_is_parents(py, &exception, state->frame)) {
		how = "ended";
		if (!cpython_ended_main(py, state, &exception))
			return 0;
	}
	return cpython_raised_text(py, &exception, how, tell, text, bytes);
}

enum mpsan_exception_where cpython_exception_caught(const struct cpython *py,
						    const struct cpython_exception *exception)
{
	struct frame frame;
	int line;

	if (!exception->traceback || !entry_read(py, exception->traceback, &frame, &line) ||
	    !frame_read_code(py, &frame))
		return MPSAN_WHERE_OTHER;
#define CATCHER(function, file, where)            \
	if (frame_is(py, &frame, function, file)) \
		return where;
#include "catchers.def"
#undef CATCHER
	return MPSAN_WHERE_OTHER;
}
