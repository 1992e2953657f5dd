/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the frames of a waiting thread for the name of a lock. */
#include "name.h"

#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define CELL_VALUE 16
#define TUPLE_SIZE 16
#define FRAMES_MAX 6u /* of threading and queue, around the lock, and the program's own */
#define TYPE_BYTES 64u

/* ---- what is named ---- */

/* The lock among the values that a frame works on: a variable, or what a method is bound to. */
static uint64_t at_hand(const struct cpython *py, const struct frame *frame, uint64_t address)
{
	struct cpython_lock lock;
	uint64_t object;

	for (unsigned i = 0; i < AT_HAND_MAX; i++) {
		object = frame_local(py, frame, i);
		if (object && cpython_lock(py, object, &lock) && lock.address == address)
			return object;
		object = object ? cpython_peek_word(py, object + BOUND_SELF) : 0;
		if (object && cpython_lock(py, object, &lock) && lock.address == address)
			return object;
	}
	return 0;
}

/* The last part of the name of an object's type. */
static void write_type(struct writer *w, const struct cpython *py, uint64_t object)
{
	uint64_t type = cpython_peek_word(py, object + CPYTHON_OB_TYPE), at;
	char text[TYPE_BYTES];
	const char *last = text;
	size_t i;

	at = cpython_peek_word(py, type + CPYTHON_TYPE_NAME);
	for (i = 0; i < sizeof(text) - 1 && cpython_peek(py, &text[i], at + i, 1) && text[i]; i++)
		if (text[i] == '.')
			last = text + i + 1;
	text[i] = '\0';
	if (last == text + 8 && !memcmp(text, "_thread.lock", 13))
		last = "Lock";
	while (*last)
		writer_byte(w, (unsigned char)*last++);
}

static void write_text(struct writer *w, const char *text)
{
	while (*text)
		writer_byte(w, (unsigned char)*text++);
}

static void write_base(struct writer *w, const struct cpython *py, uint64_t file)
{
	char path[512];
	struct writer whole = writer_open(path, sizeof(path));
	const char *base = path;

	writer_string(&whole, py, file);
	writer_close(&whole, sizeof(path));
	for (const char *c = path; *c; c++)
		base = *c == '/' ? c + 1 : base;
	write_text(w, base);
}

/* ---- where it has a name ---- */

static uint64_t variable(const struct cpython *py, const struct frame *frame, unsigned i)
{
	uint64_t object = frame_local(py, frame, i);

	return object && cpython_is_a(py, object, "cell") ?
		       cpython_peek_word(py, object + CELL_VALUE) :
		       object;
}

/* The names of local variables, in their order. */
static uint64_t names_of(const struct cpython *py, const struct frame *frame, unsigned *count)
{
	uint64_t names = cpython_peek_word(py, frame->code + py->at.code_variables);
	uint64_t size = names && cpython_is_a(py, names, "tuple") ?
				cpython_peek_word(py, names + TUPLE_SIZE) :
				0;

	*count = size < AT_HAND_MAX ? (unsigned)size : AT_HAND_MAX;
	return names + py->at.tuple_items;
}

static bool name_local(struct writer *w, const struct cpython *py, const struct frame *frame,
		       uint64_t object)
{
	unsigned count;
	uint64_t names = names_of(py, frame, &count);

	for (unsigned i = 0; i < count; i++) {
		if (variable(py, frame, i) != object)
			continue;
		writer_string(w, py, cpython_peek_word(py, names + 8ull * i));
		write_text(w, "\" (");
		write_base(w, py, frame->file);
		write_text(w, ", local of ");
		writer_string(w, py, frame->name);
		write_text(w, ")");
		return true;
	}
	return false;
}

/* As an attribute of an object in a local variable, mostly self. */
static bool name_attribute(struct writer *w, const struct cpython *py, const struct frame *frame,
			   uint64_t object)
{
	unsigned count;
	uint64_t names = names_of(py, frame, &count);

	for (unsigned i = 0; i < count; i++) {
		uint64_t owner = variable(py, frame, i),
			 key = owner ? cpython_attribute_key(py, owner, object) : 0;

		if (!key)
			continue;
		writer_string(w, py, cpython_peek_word(py, names + 8ull * i));
		write_text(w, ".");
		writer_string(w, py, key);
		write_text(w, "\" of ");
		write_type(w, py, owner);
		return true;
	}
	return false;
}

static bool name_global(struct writer *w, const struct cpython *py, const struct frame *frame,
			uint64_t object)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 key = cpython_dict_key(py, names, object);

	if (!key)
		return false;
	writer_string(w, py, key);
	write_text(w, "\" (");
	write_base(w, py, frame->file);
	write_text(w, ", global)");
	return true;
}

static bool is_inside(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->file, "/threading.py") ||
	       cpython_string_ends(py, frame->file, "/queue.py");
}

/* Whether a method of threading or queue works on an attribute of its own object. */
static bool is_attribute_of(const struct cpython *py, uint64_t self, uint64_t object)
{
	return self && cpython_attribute_key(py, self, object);
}

size_t cpython_lock_name(const struct cpython *py, uint64_t top, uint64_t address, char *text,
			 size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t object = 0, self;
	struct frame frame;
	struct walk walk;
	bool named = false;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < FRAMES_MAX && !named && walk_on(&walk, &frame); i++) {
		object = object ? object : at_hand(py, &frame, address);
		if (!object)
			break;
		self = frame_local(py, &frame, 0);
		if (is_inside(py, &frame)) {
			object = is_attribute_of(py, self, object) ? self : object;
			continue;
		}
		w.at = w.start;
		write_type(&w, py, object);
		write_text(&w, " \"");
		named = name_global(&w, py, &frame, object) ||
			name_attribute(&w, py, &frame, object) ||
			name_local(&w, py, &frame, object);
	}
	if (!named || w.at == w.end)
		w.at = w.start;
	return writer_close(&w, bytes);
}
