/* SPDX-License-Identifier: Apache-2.0 */
/* Searches frames for a lock that they have at hand, and for what they call. See taker.h. */
#include "taker.h"

#define LOCK 16 /* as in lock.c */
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define CELL_VALUE 16
#define TUPLE_SIZE 16
#define NAMES_BEFORE_HANDLERS 8 /* PyCodeObject.co_names stands before co_exceptiontable */
#define STACK_BEFORE_LOCALS 8 /* and co_stacksize before co_nlocalsplus, one int between them */
#define AT_HAND_MAX 64u
#define NAMES_MAX 64u
#define FRAMES_MAX 24u
#define TAKERS_MAX 8u /* frames that call acquire */
#define NAME_BYTES 64u

enum { GLOBAL = 1, ATTRIBUTE, VARIABLE };

bool cpython_lock_of(const struct cpython *py, uint64_t mutex, struct cpython_lock *lock)
{
	return cpython_lock(py, mutex - cpython_at(py, 0, LOCK), lock) && lock->address == mutex;
}

/* ---- what a frame names: globals, attributes, methods ---- */

struct names {
	uint64_t items;
	unsigned count;
};

static struct names names_of(const struct cpython *py, const struct frame *frame)
{
	uint64_t names =
		cpython_peek_word(py, frame->code + py->at.code_handlers - NAMES_BEFORE_HANDLERS);
	uint64_t count = names && cpython_is_a(py, names, "tuple") ?
				 cpython_member(py, names, TUPLE_SIZE) :
				 0;

	return (struct names){names + py->at.tuple_items,
			      count < NAMES_MAX ? (unsigned)count : NAMES_MAX};
}

static bool calls_acquire(const struct cpython *py, const struct names *names)
{
	for (unsigned i = 0; i < names->count; i++)
		if (cpython_string_is(py, cpython_peek_word(py, names->items + 8ull * i),
				      "acquire"))
			return true;
	return false;
}

/* ---- what it has at hand ---- */

/* The lock itself, in a cell, or what a method is bound to. */
static bool is_or_holds(const struct cpython *py, uint64_t object, uint64_t lock)
{
	return object == lock ||
	       (cpython_member(py, object, CELL_VALUE) == lock &&
		cpython_is_a(py, object, "cell")) ||
	       (cpython_member(py, object, BOUND_SELF) == lock &&
		cpython_is_a(py, object, "builtin_function_or_method"));
}

/* An attribute of it, or of a Condition among its attributes. */
static bool has_attribute(const struct cpython *py, uint64_t object, uint64_t lock)
{
	uint64_t value[AT_HAND_MAX];
	unsigned count;

	if (cpython_is_a(py, object, "cell"))
		object = cpython_member(py, object, CELL_VALUE);
	count = cpython_attribute_values(py, object, value, AT_HAND_MAX);
	for (unsigned i = 0; i < count; i++)
		if (value[i] &&
		    (value[i] == lock || (cpython_is_a(py, value[i], "Condition") &&
					  cpython_attribute(py, value[i], "_lock") == lock)))
			return true;
	return false;
}

/* Its variables, and its value stack as far as that may reach. */
static unsigned at_hand(const struct cpython *py, const struct frame *frame, uint64_t lock)
{
	int32_t deep = (int32_t)cpython_peek_word(py, frame->code + py->at.code_locals -
							      STACK_BEFORE_LOCALS);
	uint64_t words = (frame->values - frame->locals) / 8 + (deep > 0 ? (unsigned)deep : 0);
	unsigned count = words < AT_HAND_MAX ? (unsigned)words : AT_HAND_MAX, found = 0;
	uint64_t object;

	for (unsigned i = 0; i < count; i++) {
		object = frame_local(py, frame, i);
		if (!object)
			continue;
		if (is_or_holds(py, object, lock))
			return VARIABLE;
		if (!found && has_attribute(py, object, lock))
			found = ATTRIBUTE;
	}
	return found;
}

static bool is_named(const struct cpython *py, const struct names *names, uint64_t key)
{
	for (unsigned i = 0; key && i < names->count; i++)
		if (cpython_peek_word(py, names->items + 8ull * i) == key)
			return true;
	return false;
}

/* A global that it names is the lock, or one of the module's first has it as an attribute. */
static bool is_global(const struct cpython *py, const struct frame *frame,
		      const struct names *names, uint64_t lock)
{
	uint64_t globals = cpython_peek_word(py, frame->at + py->at.frame_globals), object;
	char text[NAME_BYTES];
	struct writer w;

	/* Names are interned: the same text is the same object. */
	if (globals && is_named(py, names, cpython_dict_key(py, globals, lock)))
		return true;
	for (unsigned i = 0; globals && i < names->count; i++) {
		w = writer_open(text, sizeof(text));
		writer_string(&w, py, cpython_peek_word(py, names->items + 8ull * i));
		writer_close(&w, sizeof(text));
		object = cpython_dict_find(py, globals, text);
		if (object && has_attribute(py, object, lock))
			return true;
	}
	return false;
}

/* How it is at hand; 0: it is not. */
static unsigned kind_in(const struct cpython *py, const struct frame *frame,
			const struct names *names, uint64_t lock)
{
	unsigned found = at_hand(py, frame, lock);

	return !found && is_global(py, frame, names, lock) ? GLOBAL : found;
}

/* From a walk's next frame on, which is the first of `at`. */
static unsigned best_of(struct walk *walk, unsigned at, uint64_t lock)
{
	unsigned best = 0, takers = 0, kind;
	struct frame frame;
	struct names names;

	for (; at < FRAMES_MAX && takers < TAKERS_MAX && walk_on(walk, &frame); at++) {
		names = names_of(walk->py, &frame);
		if (!calls_acquire(walk->py, &names))
			continue;
		takers++;
		kind = kind_in(walk->py, &frame, &names, lock);
		if (kind && kind * FRAMES_MAX - at > best)
			best = kind * FRAMES_MAX - at;
	}
	return best;
}

unsigned cpython_taker(const struct cpython *py, uint64_t top, const struct cpython_lock *lock)
{
	struct walk walk;

	walk_open(&walk, py, top);
	return best_of(&walk, 0, lock->object);
}

static bool is_inside(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->file, "/threading.py") ||
	       cpython_string_ends(py, frame->file, "/queue.py") ||
	       cpython_string_ends(py, frame->file, "/multiprocessing/queues.py");
}

unsigned cpython_taker_around(const struct cpython *py, uint64_t top,
			      const struct cpython_lock *lock)
{
	struct frame frame;
	struct walk walk;
	unsigned best;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame) && is_inside(py, &frame))
		;
	best = best_of(&walk, 0, lock->object);
	return (best + FRAMES_MAX - 1) / FRAMES_MAX * FRAMES_MAX;
}
