/* SPDX-License-Identifier: Apache-2.0 */
/* Searches frames for a lock that they have at hand, and for what they call. See taker.h. */
#include "taker.h"

#include "span.h"

#define LOCK 16 /* as in lock.c */
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define CELL_VALUE 16
#define TUPLE_SIZE 16
#define NAMES_BEFORE_HANDLERS 8 /* PyCodeObject.co_names stands before co_exceptiontable */
#define STACK_BEFORE_LOCALS 8 /* and co_stacksize before co_nlocalsplus, one int between them */
#define AT_HAND_MAX 64u
#define NAMES_MAX 64u
#define FRAMES_MAX 24u
#define LOOKED_MAX 8u /* frames that call acquire or release */
#define NAME_BYTES 64u
#define CODE_MAX 65536u

enum { GLOBAL = 1, ATTRIBUTE, VARIABLE, CALLED = 4 /* added to one of these */ };

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

/* Which of them it is; negative: none. */
static int find_text(const struct cpython *py, const struct names *names, const char *text)
{
	for (unsigned i = 0; i < names->count; i++)
		if (cpython_string_is(py, cpython_peek_word(py, names->items + 8ull * i), text))
			return (int)i;
	return -1;
}

/* Names are interned: the same text is the same object. */
static int find_name(const struct cpython *py, const struct names *names, uint64_t key)
{
	for (unsigned i = 0; key && i < names->count; i++)
		if (cpython_peek_word(py, names->items + 8ull * i) == key)
			return (int)i;
	return -1;
}

/* ---- what it has at hand ---- */

struct at_hand {
	unsigned kind; /* 0: it is not */
	int variable, name; /* by which one the frame reaches it; negative: unknown */
};

/* The lock itself, in a cell, or what a method is bound to. */
static bool is_or_holds(const struct cpython *py, uint64_t object, uint64_t lock)
{
	return object == lock ||
	       (cpython_member(py, object, CELL_VALUE) == lock &&
		cpython_is_a(py, object, "cell")) ||
	       (cpython_member(py, object, BOUND_SELF) == lock &&
		cpython_is_a(py, object, "builtin_function_or_method"));
}

/* Its attribute that is the lock, or a Condition around that; 0: none. */
static uint64_t attribute_with(const struct cpython *py, uint64_t object, uint64_t lock)
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
			return value[i];
	return 0;
}

/* Which of the names is its attribute that is the lock, if it has one; negative: not one of them. */
static bool has_attribute(const struct cpython *py, const struct names *names, uint64_t object,
			  uint64_t lock, int *name)
{
	uint64_t value = attribute_with(py, object, lock);

	if (!value)
		return false;
	if (cpython_is_a(py, object, "cell"))
		object = cpython_member(py, object, CELL_VALUE);
	*name = find_name(py, names, cpython_attribute_key(py, object, value));
	return true;
}

/* Its variables, and its value stack as far as that may reach. */
static struct at_hand seek_values(const struct cpython *py, const struct frame *frame,
				  const struct names *names, uint64_t lock)
{
	int32_t deep = (int32_t)cpython_peek_word(py, frame->code + py->at.code_locals -
							      STACK_BEFORE_LOCALS);
	uint64_t variables = (frame->values - frame->locals) / 8,
		 words = variables + (deep > 0 ? (unsigned)deep : 0);
	unsigned count = words < AT_HAND_MAX ? (unsigned)words : AT_HAND_MAX;
	struct at_hand hand = {0, -1, -1};
	uint64_t object;

	for (unsigned i = 0; i < count; i++) {
		object = frame_local(py, frame, i);
		if (!object)
			continue;
		if (is_or_holds(py, object, lock))
			return (struct at_hand){VARIABLE, i < variables ? (int)i : -1, hand.name};
		if (!hand.kind && has_attribute(py, names, object, lock, &hand.name))
			hand.kind = ATTRIBUTE;
	}
	return hand;
}

/* A global that it names is the lock, or one of the module's first has it as an attribute. */
static bool is_global(const struct cpython *py, const struct frame *frame,
		      const struct names *names, uint64_t lock, int *name)
{
	uint64_t globals = cpython_peek_word(py, frame->at + py->at.frame_globals), object;
	char text[NAME_BYTES];
	struct writer w;

	*name = globals ? find_name(py, names, cpython_dict_key(py, globals, lock)) : -1;
	if (*name >= 0)
		return true;
	for (unsigned i = 0; globals && i < names->count; i++) {
		w = writer_open(text, sizeof(text));
		writer_string(&w, py, cpython_peek_word(py, names->items + 8ull * i));
		writer_close(&w, sizeof(text));
		object = cpython_dict_find(py, globals, text);
		if (object && has_attribute(py, names, object, lock, name))
			return true;
	}
	return false;
}

/* While a method of the lock runs, the lock is on the value stack, however the frame reached it. */
static struct at_hand at_hand(const struct cpython *py, const struct frame *frame,
			      const struct names *names, uint64_t lock)
{
	struct at_hand hand = seek_values(py, frame, names, lock);

	if (hand.variable < 0 && hand.name < 0 && is_global(py, frame, names, lock, &hand.name) &&
	    !hand.kind)
		hand.kind = GLOBAL;
	return hand;
}

/* ---- what it has called ---- */

#define CACHES_GLOBAL 4u /* units after LOAD_GLOBAL, */
#define CACHES_ATTRIBUTE 9u /* and after LOAD_ATTR */
#define BEFORE (CACHES_ATTRIBUTE + 1)

/* Whether the instruction looks up a method; the second is what it becomes in time. */
static bool loads_method(const struct cpython *py, int instruction)
{
	static const unsigned char load[][2] = {{82, 195}, {80, 182}, {79, 188}}; /* 3.13 on */
	unsigned row = py->at.minor - 13u;

	return row < sizeof(load) / sizeof(*load) &&
	       (instruction == load[row][0] || instruction == load[row][1]);
}

/* Whether the instruction before one is what put the lock on the stack, by the arguments of those before. */
static bool is_of(const struct at_hand *hand, const int *before, unsigned at)
{
	return (hand->variable >= 0 && before[(at - 1) % BEFORE] == hand->variable) ||
	       (hand->name >= 0 &&
		(before[(at - 1) % BEFORE] == hand->name || /* in a module's own code */
		 before[(at - 1 - CACHES_GLOBAL) % BEFORE] == 2 * hand->name ||
		 before[(at - 1 - CACHES_ATTRIBUTE) % BEFORE] == 2 * hand->name));
}

/*
 * The instruction by which a frame last called the lock's acquire(), if none before the current line
 * calls its release() since; negative: it did not.
 */
static long find_call(const struct cpython *py, const struct frame *frame,
		      const struct names *names, const struct at_hand *hand, int acquire)
{
	int release = find_text(py, names, "release"), before[BEFORE], operation, argument;
	unsigned line = cpython_line(py, frame->lines, frame->first_line, frame->instr);
	long called = -1;
	struct span code;

	for (unsigned i = 0; i < BEFORE; i++)
		before[i] = -1;
	span_open(&code, py, frame->code + py->at.code_units);
	code.left = frame->instr > 0 && frame->instr < (long)CODE_MAX ? (uint64_t)frame->instr : 0;
	for (unsigned at = BEFORE;
	     (operation = span_byte(&code)) >= 0 && (argument = span_byte(&code)) >= 0;
	     before[at++ % BEFORE] = argument) {
		long here = 2l * (at - BEFORE);

		if (argument < 2 || !loads_method(py, operation) || !is_of(hand, before, at))
			continue;
		if (argument == 2 * acquire + 1 &&
		    cpython_line(py, frame->lines, frame->first_line, here) != line)
			called = here;
		else if (release >= 0 && argument == 2 * release + 1)
			called = -1;
	}
	return called;
}

/* ---- all frames of a thread ---- */

/* A frame that is the number-th of its thread, from the innermost one. False: it calls neither method. */
static bool see_frame(const struct cpython *py, const struct frame *frame, unsigned number,
		      uint64_t lock, struct cpython_taker *taker)
{
	struct names names = names_of(py, frame);
	int acquire = find_text(py, &names, "acquire");
	struct at_hand hand;
	unsigned rank;
	long called;

	if (acquire < 0 && find_text(py, &names, "release") < 0)
		return false;
	hand = at_hand(py, frame, &names, lock);
	taker->signals |= hand.kind && acquire < 0;
	if (!hand.kind || acquire < 0)
		return true;
	called = find_call(py, frame, &names, &hand, acquire);
	rank = (hand.kind + (called >= 0 ? CALLED : 0)) * FRAMES_MAX - number;
	if (rank > taker->rank) {
		taker->rank = rank;
		taker->called = called;
		taker->frame = *frame;
	}
	return true;
}

static void see_frames(struct walk *walk, uint64_t lock, struct cpython_taker *taker)
{
	unsigned looked = 0;
	struct frame frame;

	for (unsigned at = 0; at < FRAMES_MAX && looked < LOOKED_MAX && walk_on(walk, &frame); at++)
		looked += see_frame(walk->py, &frame, at, lock, taker);
}

void cpython_taker(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
		   struct cpython_taker *taker)
{
	struct walk walk;

	*taker = (struct cpython_taker){.called = -1};
	walk_open(&walk, py, top);
	see_frames(&walk, lock->object, taker);
}

static bool is_inside(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->file, "/threading.py") ||
	       cpython_string_ends(py, frame->file, "/queue.py") ||
	       cpython_string_ends(py, frame->file, "/multiprocessing/queues.py");
}

void cpython_taker_around(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
			  struct cpython_taker *taker)
{
	struct frame frame;
	struct walk walk;
	bool found;

	*taker = (struct cpython_taker){.called = -1};
	walk_open(&walk, py, top);
	while ((found = walk_on(&walk, &frame)) && is_inside(py, &frame))
		;
	if (!found)
		return;
	see_frame(py, &frame, 0, lock->object, taker);
	if (taker->called < 0)
		taker->rank = 0;
	see_frames(&walk, lock->object, taker);
	taker->rank = (taker->rank + FRAMES_MAX - 1) / FRAMES_MAX * FRAMES_MAX;
}

size_t cpython_taker_text(const struct cpython *py, const struct cpython_taker *taker, char *text,
			  size_t bytes)
{
	return taker->called < 0 ?
		       0 :
		       frame_line_text(py, &taker->frame,
				       cpython_line(py, taker->frame.lines, taker->frame.first_line,
						    taker->called),
				       text, bytes);
}
