/* SPDX-License-Identifier: Apache-2.0 */
/* Searches frames for a lock that they have at hand, and for what they call. See taker.h. */
#include "taker.h"

#include "called.h"
#include "coroutine.h"
#include "reach.h"

#define LOCK 16 /* as in lock.c */
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define CELL_VALUE 16
#define LOCALS_BEFORE_LINE \
	12 /* co_nlocals before co_firstlineno, and co_stacksize behind it; up to 3.10 */
#define STACK_BEFORE_LOCALS 8 /* and co_stacksize before co_nlocalsplus, one int between them */
#define AT_HAND_MAX 64u
#define FRAMES_MAX 24u
#define GLOBALS_MAX 256u
#define LOOKED_MAX 8u /* frames that call acquire or release */
#define NAME_BYTES 64u

enum { GLOBAL = 1, ATTRIBUTE, VARIABLE, CALLED = 4 /* added to one of these */, ENTERED = 8 };

bool cpython_lock_of(const struct cpython *py, uint64_t mutex, struct cpython_lock *lock)
{
	return cpython_lock(py, mutex - cpython_at(py, 0, LOCK), lock) && lock->address == mutex;
}

/* ---- what it has at hand ---- */

struct at_hand {
	unsigned kind; /* 0: it is not */
	uint64_t object; /* the lock */
	int variable, name; /* by which one the frame reaches it; negative: unknown */
};

/* A semaphore does not say which object has it. */
static bool is_lock(const struct cpython *py, uint64_t object, const struct cpython_lock *lock)
{
	struct cpython_lock found;

	return lock->object ? object == lock->object :
			      cpython_lock(py, object, &found) && found.address == lock->address;
}

/* The lock itself, in a cell, or what a method is bound to; 0: none of these. */
static uint64_t lock_in(const struct cpython *py, uint64_t object, const struct cpython_lock *lock)
{
	uint64_t inner;

	if (is_lock(py, object, lock))
		return object;
	inner = cpython_member(py, object, CELL_VALUE);
	if (is_lock(py, inner, lock) && cpython_is_a(py, object, "cell"))
		return inner;
	inner = cpython_member(py, object, BOUND_SELF);
	return is_lock(py, inner, lock) && cpython_is_a(py, object, "builtin_function_or_method") ?
		       inner :
		       0;
}

/* Its attribute that is the lock, or a Condition around that; 0: none. */
static uint64_t attribute_with(const struct cpython *py, uint64_t object,
			       const struct cpython_lock *lock)
{
	uint64_t value[AT_HAND_MAX];
	unsigned count;

	count = cpython_attribute_values(py, object, value, AT_HAND_MAX);
	count = count ? count : reach_slots(py, object, value, AT_HAND_MAX);
	for (unsigned i = 0; i < count; i++)
		if (value[i] && (is_lock(py, value[i], lock) ||
				 (cpython_is_a(py, value[i], "Condition") &&
				  is_lock(py, cpython_attribute(py, value[i], "_lock"), lock))))
			return value[i];
	return 0;
}

/* The same of its class's. */
static bool has_class_attribute(const struct cpython *py, const struct called_names *names,
				uint64_t object, const struct cpython_lock *lock,
				struct at_hand *hand)
{
	uint64_t key = lock->object ? reach_class_key(py, object, lock->object) : 0;

	if (!key)
		return false;
	hand->name = called_find_key(py, names, key);
	hand->object = lock->object;
	return true;
}

/* Which of the names is its attribute that is the lock, if it has one; negative: not one of them. */
static bool has_attribute(const struct cpython *py, const struct called_names *names,
			  uint64_t object, const struct cpython_lock *lock, struct at_hand *hand)
{
	uint64_t value;

	if (cpython_is_a(py, object, "cell"))
		object = cpython_member(py, object, CELL_VALUE);
	value = attribute_with(py, object, lock);
	if (!value)
		return has_class_attribute(py, names, object, lock, hand);
	hand->name = called_find_key(py, names, reach_attribute_key(py, object, value));
	hand->object = is_lock(py, value, lock) ? value : cpython_attribute(py, value, "_lock");
	return true;
}

unsigned cpython_values(const struct cpython *py, const struct frame *frame, unsigned *variables)
{
	uint64_t own = (frame->values - frame->locals) / 8, words;
	int32_t size[2];

	if (py->at.minor < 11) {
		if (!cpython_peek(py, size,
				  frame->code + py->at.code_firstlineno - LOCALS_BEFORE_LINE,
				  sizeof(size)))
			size[0] = size[1] = 0;
		own = (uint32_t)size[0];
	} else {
		size[1] = (int32_t)cpython_peek_word(py, frame->code + py->at.code_locals -
								 STACK_BEFORE_LOCALS);
	}
	words = own + (size[1] > 0 ? (unsigned)size[1] : 0);

	*variables = own < AT_HAND_MAX ? (unsigned)own : AT_HAND_MAX;
	return words < AT_HAND_MAX ? (unsigned)words : AT_HAND_MAX;
}

/* By its variables and its value stack. */
static struct at_hand seek_values(const struct cpython *py, const struct frame *frame,
				  const struct called_names *names, const struct cpython_lock *lock)
{
	unsigned variables, count = cpython_values(py, frame, &variables);
	struct at_hand hand = {0, 0, -1, -1};
	uint64_t object, found;

	for (unsigned i = 0; i < count; i++) {
		object = frame_local(py, frame, i);
		if (!object)
			continue;
		found = lock_in(py, object, lock);
		if (found)
			return (struct at_hand){VARIABLE, found, i < variables ? (int)i : -1,
						hand.name};
		if (!hand.kind && has_attribute(py, names, object, lock, &hand))
			hand.kind = ATTRIBUTE;
	}
	return hand;
}

/* A global that it names is the lock, or one of the module's first has it as an attribute. */
static bool is_global(const struct cpython *py, const struct frame *frame,
		      const struct called_names *names, const struct cpython_lock *lock,
		      struct at_hand *hand)
{
	uint64_t globals = cpython_peek_word(py, frame->at + py->at.frame_globals), object;
	char text[NAME_BYTES];
	struct writer w;

	for (unsigned i = 0; globals && i < names->count; i++) {
		w = writer_open(text, sizeof(text));
		writer_string(&w, py, cpython_peek_word(py, names->items + 8ull * i));
		writer_close(&w, sizeof(text));
		object = cpython_dict_search(py, globals, text);
		if (is_lock(py, object, lock)) {
			hand->name = (int)i;
			hand->object = object;
			return true;
		}
		if (object && has_attribute(py, names, object, lock, hand))
			return true;
	}
	return false;
}

/* While a method of the lock runs, the lock is on the value stack, however the frame reached it. */
static struct at_hand at_hand(const struct cpython *py, const struct frame *frame,
			      const struct called_names *names, const struct cpython_lock *lock)
{
	struct at_hand hand = seek_values(py, frame, names, lock);

	if (hand.variable < 0 && hand.name < 0 && is_global(py, frame, names, lock, &hand) &&
	    !hand.kind)
		hand.kind = GLOBAL;
	return hand;
}

/* ---- all frames of a thread ---- */

static void keep(struct cpython_taker *taker, const struct frame *frame, unsigned rank, bool called,
		 unsigned line)
{
	if (rank > taker->rank) {
		taker->rank = rank;
		taker->called = called;
		taker->entered = rank > (ENTERED - 1) * FRAMES_MAX;
		taker->line = line;
		taker->frame = *frame;
	}
}

/* A frame that is the number-th of its thread, from the innermost one. False: it calls neither method. */
static bool see_calls(const struct cpython *py, const struct frame *frame, unsigned number,
		      const struct cpython_lock *lock, struct cpython_taker *taker)
{
	struct called_names names = called_names(py, frame);
	int acquire = called_find(py, &names, "acquire");
	struct at_hand hand;
	long called;

	if (acquire < 0 && called_find(py, &names, "release") < 0)
		return false;
	hand = at_hand(py, frame, &names, lock);
	taker->signals |= hand.kind && acquire < 0;
	if (!hand.kind || acquire < 0)
		return true;
	called = called_last(py, frame, &names, hand.variable, hand.name, acquire);
	keep(taker, frame, (hand.kind + (called >= 0 ? CALLED : 0)) * FRAMES_MAX - number,
	     called >= 0,
	     called >= 0 ? cpython_line(py, frame->lines, frame->first_line, called) : 0);
	return true;
}

/* ---- what it has entered ---- */

#define DEQUE_SIZE 16
#define DEQUE_LEFT \
	24 /* the leftmost block, and where its first item is: a link comes before the items */
#define DEQUE_LEFT_INDEX 40
#define DEQUE_BLOCK 64u /* items */

/* Whether the method is one of Python's that calls release() of an attribute that is the lock. */
static bool exit_releases(const struct cpython *py, uint64_t code, uint64_t self,
			  const struct cpython_lock *lock)
{
	struct frame exit = {.code = code};
	struct called_names names = called_names(py, &exit);
	uint64_t value = attribute_with(py, self, lock);

	return value && called_find(py, &names, "release") >= 0 &&
	       called_find_key(py, &names, reach_attribute_key(py, self, value)) >= 0;
}

static bool releases(const struct cpython *py, const struct with_block *block,
		     const struct cpython_lock *lock)
{
	struct cpython_lock found;

	return cpython_lock_in(py, block, &found) ?
		       found.address == lock->address :
		       !block->builtin && exit_releases(py, block->exit, block->self, lock);
}

/* Whether a bound method that an ExitStack is to call releases the lock. */
static bool callback_releases(const struct cpython *py, uint64_t callback,
			      const struct cpython_lock *lock)
{
	uint64_t method = cpython_is_a(py, callback, "tuple") ?
				  cpython_peek_word(py, callback + py->at.tuple_items + 8) :
				  0;
	struct with_block block;

	return method && with_bound(py, &block, method) && releases(py, &block, lock);
}

/* Of its newest callbacks, as many as the leftmost block of them has. */
static bool stack_releases(const struct cpython *py, uint64_t stack,
			   const struct cpython_lock *lock, uint64_t *count)
{
	uint64_t deque = cpython_attribute(py, stack, "_exit_callbacks"), block, first;

	*count = deque && cpython_is_a(py, deque, "collections.deque") ?
			 cpython_member(py, deque, DEQUE_SIZE) :
			 0;
	if (!*count)
		return false;
	block = cpython_member(py, deque, DEQUE_LEFT);
	first = cpython_member(py, deque, DEQUE_LEFT_INDEX);
	for (uint64_t i = 0; i < *count && first + i < DEQUE_BLOCK; i++)
		if (callback_releases(py, cpython_peek_word(py, block + 8 * (1 + first + i)), lock))
			return true;
	return false;
}

static bool is_exit_stack(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "ExitStack") || cpython_is_a(py, object, "AsyncExitStack");
}

/* The line of its enter_context(), if there is only one; 0: unknown. */
static unsigned line_of_stack(const struct cpython *py, const struct frame *frame, int variable)
{
	struct called_names names = called_names(py, frame);
	int enter = called_find(py, &names, "enter_context");
	long called = enter < 0 ? -1 : called_last(py, frame, &names, variable, -1, enter);

	return called < 0 ? 0 : cpython_line(py, frame->lines, frame->first_line, called);
}

static void see_blocks(const struct cpython *py, const struct frame *frame, unsigned rank,
		       const struct cpython_lock *lock, struct cpython_taker *taker)
{
	struct with_block block[WITH_MAX];
	uint64_t count;

	for (unsigned i = with_blocks(py, frame, block); i-- > 0;)
		if (releases(py, &block[i], lock))
			keep(taker, frame, rank, true, with_line(py, frame, &block[i]));
		else if (is_exit_stack(py, block[i].self) &&
			 stack_releases(py, block[i].self, lock, &count))
			keep(taker, frame, rank, true, 0);
}

/* A generator that the frame runs through, or a coroutine. */
static void see_suspended(const struct cpython *py, uint64_t at, unsigned number,
			  const struct cpython_lock *lock, struct cpython_taker *taker)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, at);
	if (!at || !walk_on(&walk, &frame))
		return;
	see_blocks(py, &frame, ENTERED * FRAMES_MAX - number, lock, taker);
	see_calls(py, &frame, number, lock, taker);
}

/* The same of one that was made a context manager. */
static uint64_t generator_in(const struct cpython *py, uint64_t object)
{
	if (cpython_is_a(py, object, "_GeneratorContextManager") ||
	    cpython_is_a(py, object, "_AsyncGeneratorContextManager"))
		object = cpython_attribute(py, object, "gen");
	return object && cpython_is_coroutine(py, object) ? cpython_suspended(py, object) : 0;
}

/* Its blocks, what its variables are, and the generators on its value stack, of which some may be left over. */
static void see_entered(const struct cpython *py, const struct frame *frame, unsigned number,
			const struct cpython_lock *lock, struct cpython_taker *taker)
{
	unsigned variables, count = cpython_values(py, frame, &variables), line;
	uint64_t object, self, callbacks;

	for (unsigned i = 0; i < count; i++) {
		object = frame_local(py, frame, i);
		self = object && cpython_is_a(py, object, "method") ?
			       cpython_member(py, object, BOUND_SELF) :
			       object;
		if (!self)
			continue;
		see_suspended(py, generator_in(py, self), number, lock, taker);
		if (i >= variables || !is_exit_stack(py, self) ||
		    !stack_releases(py, self, lock, &callbacks))
			continue;
		line = callbacks == 1 ? line_of_stack(py, frame, (int)i) : 0;
		keep(taker, frame, ENTERED * FRAMES_MAX - number, true, line);
	}
	see_blocks(py, frame, ENTERED * FRAMES_MAX - number, lock, taker);
}

/* The generators among a module's variables, which are no variables of its frame. */
static void see_module(const struct cpython *py, const struct frame *frame, unsigned number,
		       const struct cpython_lock *lock, struct cpython_taker *taker)
{
	uint64_t value[GLOBALS_MAX], names;
	unsigned count;

	if (!cpython_string_is(py, frame->name, "<module>"))
		return;
	names = cpython_peek_word(py, frame->at + py->at.frame_globals);
	count = cpython_dict_values(py, names, value, GLOBALS_MAX);
	for (unsigned i = 0; i < count; i++)
		see_suspended(py, generator_in(py, value[i]), number, lock, taker);
}

static bool see_frame(const struct cpython *py, const struct frame *frame, unsigned number,
		      const struct cpython_lock *lock, struct cpython_taker *taker)
{
	see_entered(py, frame, number, lock, taker);
	see_module(py, frame, number, lock, taker);
	return see_calls(py, frame, number, lock, taker);
}

static void see_frames(struct walk *walk, const struct cpython_lock *lock,
		       struct cpython_taker *taker)
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

	*taker = (struct cpython_taker){0};
	walk_open(&walk, py, top);
	see_frames(&walk, lock, taker);
}

void cpython_taker_near(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
			struct cpython_taker *taker)
{
	struct called_names names;
	struct frame frame;
	struct at_hand hand;
	struct walk walk;

	*taker = (struct cpython_taker){0};
	walk_open(&walk, py, top);
	for (unsigned at = 0; at < FRAMES_MAX && walk_on(&walk, &frame); at++) {
		names = called_names(py, &frame);
		hand = at_hand(py, &frame, &names, lock);
		if (hand.kind)
			keep(taker, &frame, hand.kind * FRAMES_MAX - at, false, 0);
	}
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

	*taker = (struct cpython_taker){0};
	walk_open(&walk, py, top);
	while ((found = walk_on(&walk, &frame)) && is_inside(py, &frame))
		;
	if (!found)
		return;
	see_frame(py, &frame, 0, lock, taker);
	if (!taker->called)
		taker->rank = 0;
	see_frames(&walk, lock, taker);
	taker->rank = (taker->rank + FRAMES_MAX - 1) / FRAMES_MAX * FRAMES_MAX;
}

size_t cpython_called_text(const struct cpython *py, uint64_t top, uint64_t address,
			   uint64_t acquire, char *text, size_t bytes, uint64_t *object)
{
	const struct cpython_lock lock = {.address = address};
	struct called_names names;
	struct at_hand hand;
	struct frame frame;
	struct walk walk;
	size_t length = 0;
	int method;
	long called;

	*object = 0;
	walk_open(&walk, py, top);
	for (unsigned at = 0; at < FRAMES_MAX && walk_on(&walk, &frame); at++) {
		names = called_names(py, &frame);
		method = acquire ? called_find_key(py, &names, acquire) :
				   called_find(py, &names, "acquire");
		if (method < 0 || is_inside(py, &frame))
			continue;
		hand = at_hand(py, &frame, &names, &lock);
		*object = *object ? *object : hand.object;
		called = called_last(py, &frame, &names, hand.variable, hand.name, method);
		if (called >= 0)
			length = frame_line_text(
				py, &frame, cpython_line(py, frame.lines, frame.first_line, called),
				text, bytes);
	}
	return length;
}

size_t cpython_taker_text(const struct cpython *py, const struct cpython_taker *taker, char *text,
			  size_t bytes)
{
	return frame_line_text(py, &taker->frame, taker->line, text, bytes);
}
