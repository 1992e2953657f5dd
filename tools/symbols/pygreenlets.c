/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows gevent's hub to its parent, and from there to the greenlets whose end that waits for. A greenlet object points
 * to an object in C++, in which its frame and its parent are recognised by the names of their types: see greenlet's
 * TGreenlet.hpp. What it waits for is written in C, without frames: the innermost frame works on an object that will
 * call the greenlet's `switch`.
 */
#include "pygreenlets.h"

#include "pypath.h"

#define IMPLEMENTATION 32 /* in a greenlet: behind its weak references and dictionary */
#define WORDS 40u /* of the object in C++ */
#define FRAME_OF_OBJECT 24 /* in a frame object from 3.11 on; before, it is the frame */

#define TYPE_SIZE 32 /* PyTypeObject.tp_basicsize, */
#define TYPE_BASE 256 /* tp_base */
#define BASES_MAX 6u
#define TYPE_NAME 64u
#define MEMBERS_MAX 64u
#define BOUND_SELF 24 /* PyMethodObject.im_self, PyCFunctionObject.m_self */
#define DEQUE_LEFT 24 /* the first block: a link, items, a link, */
#define DEQUE_LEFT_INDEX 40 /* and where the items begin in it */
#define BLOCK_ITEMS 64u
#define ITEMS_MAX 64u
#define VALUES 16u /* of a frame's stack, among which are a call's arguments */
#define ARGUMENTS 3u /* of which one is a time limit, a number */
#define FRAMES_MAX 64u /* of a greenlet */
#define FOLLOWED_MAX 8u /* greenlets of which one waits for the end of the next one */

struct text {
	const struct cpython *py;
	uint64_t hub; /* the file with its code: the others lie beside it */
	char *at;
	size_t bytes;
	unsigned followed;
};

/* ---- objects ---- */

/* The first word of a greenlet's object in C++ that refers to one of this type; 0: none. */
static uint64_t member_of(const struct cpython *py, uint64_t greenlet, const char *type)
{
	uint64_t word[WORDS], at = cpython_member(py, greenlet, IMPLEMENTATION);

	if (!cpython_peek(py, word, at, sizeof(word)))
		return 0;
	for (unsigned i = 0; i < WORDS; i++)
		if (cpython_is_a(py, word[i], type))
			return word[i];
	return 0;
}

/* The innermost frame of a greenlet that does not run now; 0: it has none. */
static uint64_t frame_of(const struct cpython *py, uint64_t greenlet)
{
	uint64_t frame = greenlet ? member_of(py, greenlet, "frame") : 0;

	return frame && py->at.minor >= 11 ? cpython_member(py, frame, FRAME_OF_OBJECT) : frame;
}

/* What of gevent is waited for by calls that are written in C: `put` where the waiter brings an item. */
static const struct primitive {
	const char *type, *wait, *put, *file;
} primitives[] = {
	{"gevent._gevent_cevent.Event", "Event.wait", NULL, "event.py"},
	{"gevent._gevent_cevent.AsyncResult", "AsyncResult.get", NULL, "event.py"},
	{"gevent._gevent_c_semaphore.Semaphore", "Semaphore.acquire", NULL, "_semaphore.py"},
	{"gevent._gevent_cqueue.SimpleQueue", "Queue.get", "Queue.put", "queue.py"},
	{"gevent._gevent_cqueue.Queue", "Queue.get", "Queue.put", "queue.py"}, /* older */
	{"gevent._gevent_cgreenlet.Greenlet", "Greenlet.join", NULL, "greenlet.py"},
};
#define GREENLET (&primitives[sizeof(primitives) / sizeof(*primitives) - 1])

static bool type_is(const struct cpython *py, uint64_t type, const char *name)
{
	char text[TYPE_NAME];

	cpython_c_text(py, cpython_member(py, type, CPYTHON_TYPE_NAME), text, sizeof(text));
	return !strcmp(text, name);
}

/* By its type, or one that this is derived from; NULL: it is none. */
static const struct primitive *primitive_of(const struct cpython *py, uint64_t object)
{
	uint64_t type = object && object % 8 == 0 ? cpython_type(py, object) : 0;

	for (unsigned k = 0; type && k < BASES_MAX; k++) {
		for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
			if (type_is(py, type, primitives[i].type))
				return &primitives[i];
		type = cpython_member(py, type, TYPE_BASE);
	}
	return NULL;
}

/* The members of an object of gevent's. */
static unsigned members(const struct cpython *py, uint64_t object, uint64_t *word)
{
	uint64_t count = cpython_member(py, cpython_type(py, object), TYPE_SIZE) / 8;

	count = count < MEMBERS_MAX ? count : MEMBERS_MAX;
	return cpython_peek(py, word, object, count * 8) ? (unsigned)count : 0;
}

static unsigned items_of_deque(const struct cpython *py, uint64_t deque, uint64_t *item)
{
	uint64_t count = cpython_member(py, deque, CPYTHON_SIZE),
		 block = cpython_member(py, deque, DEQUE_LEFT),
		 at = cpython_member(py, deque, DEQUE_LEFT_INDEX);

	count = count < ITEMS_MAX ? count : ITEMS_MAX;
	for (unsigned i = 0; i < count; i++, at++) {
		if (at >= BLOCK_ITEMS) {
			block = cpython_peek_word(py, block + 8 * (BLOCK_ITEMS + 1));
			at = 0;
		}
		item[i] = cpython_peek_word(py, block + 8 * (at + 1));
	}
	return (unsigned)count;
}

static unsigned items_of(const struct cpython *py, uint64_t object, uint64_t *item)
{
	if (cpython_is_a(py, object, "list"))
		return cpython_list_items(py, object, item, ITEMS_MAX);
	return cpython_is_a(py, object, "collections.deque") ? items_of_deque(py, object, item) : 0;
}

static bool is_method(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "method") ||
	       cpython_is_a(py, object, "builtin_function_or_method");
}

/* Whether this switches to a greenlet: its method, or a Waiter with it. */
static bool switches(const struct cpython *py, uint64_t object, uint64_t greenlet, bool *puts)
{
	uint64_t word[MEMBERS_MAX], type;
	unsigned count;

	if (is_method(py, object))
		object = cpython_member(py, object, BOUND_SELF);
	if (object == greenlet)
		return true;
	type = object ? cpython_type(py, object) : 0;
	*puts = type_is(py, type, "gevent._gevent_cqueue.ItemWaiter");
	if (!*puts && !type_is(py, type, "gevent._gevent_c_waiter.Waiter") &&
	    !type_is(py, type, "gevent._gevent_c_waiter.MultipleWaiter"))
		return false;
	count = members(py, object, word);
	for (unsigned i = 2; i < count; i++)
		if (word[i] == greenlet)
			return true;
	return false;
}

/* The function in which a greenlet waits for an object of gevent's; NULL: it does not. */
static const char *waits_for(const struct cpython *py, uint64_t greenlet, uint64_t object,
			     const struct primitive *primitive)
{
	uint64_t word[MEMBERS_MAX], item[ITEMS_MAX];
	unsigned count = members(py, object, word);
	bool puts = false;

	for (unsigned i = 2; i < count; i++) {
		const struct primitive *part = primitive->put ? primitive_of(py, word[i]) : NULL;
		unsigned items = items_of(py, word[i], item);

		for (unsigned k = 0; k < items; k++)
			if (switches(py, item[k], greenlet, &puts))
				return primitive->put && puts ? primitive->put : primitive->wait;
		if (part && !part->put && waits_for(py, greenlet, word[i], part))
			return "Queue.join"; /* by an Event of its own */
	}
	return NULL;
}

/* ---- calls ---- */

static bool is_number(const struct cpython *py, uint64_t object)
{
	return object % 8 == 0 &&
	       (cpython_is_a(py, object, "float") || cpython_is_a(py, object, "int"));
}

/* How many arguments the current instruction passes, if it is a call. */
static unsigned arguments(const struct cpython *py, const struct frame *frame)
{
	uint64_t code = py->at.minor < 11 ?
				cpython_peek_word(py, frame->code + py->at.code_bytecode) +
					py->at.bytes_items :
				frame->code + py->at.code_units;
	unsigned char unit[2] = {0};

	return cpython_peek(py, unit, code + (uint64_t)frame->instr, 2) ? unit[1] : 0;
}

/* What a greenlet's innermost frame waits for by a call of something that is written in C. */
struct awaited {
	uint64_t object; /* 0: nothing, or it is not known */
	const char *function, *file;
	bool is_greenlet, puts; /* its first argument is an item */
};

static struct awaited awaited_at(const struct cpython *py, uint64_t greenlet,
				 const struct frame *frame, bool choose);

/* `choose`: look at what those wait for that it waits for. */
static struct awaited awaited_by(const struct cpython *py, uint64_t greenlet, bool choose)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, frame_of(py, greenlet));
	return walk_on(&walk, &frame) ? awaited_at(py, greenlet, &frame, choose) :
					(struct awaited){0};
}

static struct awaited awaits(const struct cpython *py, uint64_t greenlet, uint64_t object)
{
	const struct primitive *primitive = primitive_of(py, object);
	const char *function = primitive ? waits_for(py, greenlet, object, primitive) : NULL;

	if (!function)
		return (struct awaited){0};
	return (struct awaited){object, function, primitive->file, primitive == GREENLET,
				function == primitive->put};
}

/* The first of a list of greenlets for which one waits; of these, one that does something else. */
static struct awaited awaits_any(const struct cpython *py, uint64_t greenlet, uint64_t list,
				 bool choose)
{
	uint64_t item[ITEMS_MAX];
	unsigned count =
		cpython_is_a(py, list, "list") ? cpython_list_items(py, list, item, ITEMS_MAX) : 0;
	struct awaited first = {0}, next;

	for (unsigned i = 0; i < count; i++) {
		next = awaits(py, greenlet, item[i]);
		if (choose && next.is_greenlet && !awaited_by(py, item[i], false).object)
			return next;
		first = first.object ? first : next;
	}
	return first;
}

/* With a time limit it goes on by itself. */
static struct awaited awaited_at(const struct cpython *py, uint64_t greenlet,
				 const struct frame *frame, bool choose)
{
	uint64_t at = py->at.minor >= 11 ? frame->values :
					   cpython_peek_word(py, frame->at + py->at.frame_stack);
	unsigned count = arguments(py, frame);
	uint64_t value[VALUES + ARGUMENTS] = {0};
	struct awaited found = {0};

	for (unsigned i = 0; i < VALUES; i++)
		value[i] = frame_untagged(py, cpython_peek_word(py, at + 8ull * i));
	for (unsigned i = 0; i < VALUES && !found.object; i++) {
		found = awaits(py, greenlet, value[i]);
		if (!found.object)
			found = awaits_any(py, greenlet, value[i], choose);
		if (!found.object && is_method(py, value[i])) /* __exit__, of a `with` */
			found = awaits(py, greenlet, cpython_member(py, value[i], BOUND_SELF));
		for (unsigned k = found.puts ? 2 : 1; found.object && k <= ARGUMENTS && k <= count;
		     k++)
			if (is_number(py, value[i + k]))
				return (struct awaited){0};
	}
	return found;
}

/* One of a group's greenlets, one that does something else than to wait for others if there is one; 0: there is none. */
static uint64_t grouped(const struct cpython *py, uint64_t group)
{
	uint64_t item[ITEMS_MAX], set = cpython_attribute(py, group, "greenlets");
	unsigned count = cpython_is_a(py, set, "set") ? pypath_set(py, set, item, ITEMS_MAX) : 0;
	uint64_t found = 0;

	for (unsigned i = 0; i < count; i++) {
		if (primitive_of(py, item[i]) != GREENLET)
			continue;
		if (!awaited_by(py, item[i], false).object)
			return item[i];
		found = found ? found : item[i];
	}
	return found;
}

/*
 * The greenlet that runs the thread for whose end this frame waits, in a module that is patched, or one of the group that it
 * joins; 0: it waits elsewhere.
 */
static uint64_t joined_by(const struct cpython *py, const struct frame *frame)
{
	uint64_t number, digits, greenlet;

	if (frame_is(py, frame, "join", "gevent/pool.py"))
		return grouped(py, frame_local(py, frame, 0));
	if (!frame_is(py, frame, "join", "threading.py"))
		return 0;
	number = cpython_attribute(py, frame_local(py, frame, 0), "_ident");
	digits = number ? cpython_member(py, number, CPYTHON_INT_VALUE) : 0; /* two of 30 bits */
	greenlet = (digits & 0x3fffffff) | digits >> 32 << 30;
	return primitive_of(py, greenlet) == GREENLET ? greenlet : 0;
}

/* ---- text ---- */

static void add_frame(struct text *text, const struct frame *frame)
{
	const struct cpython *py = text->py;
	unsigned line = cpython_line(py, frame->lines, frame->first_line, frame->instr);
	size_t more =
		text->bytes > 1 ? frame_line_text(py, frame, line, text->at, text->bytes - 1) : 0;

	if (!more)
		return;
	text->at[more++] = '\n';
	text->at += more;
	text->bytes -= more;
}

/* A line for a call that has no frame. */
static void add_call(struct text *text, const struct awaited *awaited)
{
	struct writer w = writer_open(text->at, text->bytes);

	for (const char *c = awaited->function; *c; c++)
		writer_byte(&w, (unsigned char)*c);
	writer_byte(&w, '\t');
	writer_string(&w, text->py, text->hub);
	if (w.at - w.start > 6 && !memcmp(w.at - 6, "hub.py", 6))
		w.at -= 6;
	for (const char *c = awaited->file; *c; c++)
		writer_byte(&w, (unsigned char)*c);
	writer_byte(&w, '\t');
	writer_decimal(&w, 0);
	writer_byte(&w, '\n');
	if (w.at == w.end)
		w.at = w.start;
	text->at += w.at - w.start;
	text->bytes -= (size_t)(w.at - w.start);
}

/* From Python 3.12 on the frames beyond the first call from C lie in the C stack, which another greenlet uses now. */
static bool is_lost(const struct cpython *py, const struct frame *frame)
{
	return py->at.minor >= 12 && frame_is_of_c(frame);
}

static void add_greenlet(struct text *text, uint64_t greenlet)
{
	const struct cpython *py = text->py;
	uint64_t top = frame_of(py, greenlet), joined = 0;
	struct awaited awaited = awaited_by(py, greenlet, true);
	struct frame frame;
	struct walk walk;

	if (!top || text->followed++ == FOLLOWED_MAX)
		return;
	walk_open(&walk, py, top);
	while (!joined && walk_on(&walk, &frame))
		joined = joined_by(py, &frame);
	if (joined || awaited.is_greenlet)
		add_greenlet(text, joined ? joined : awaited.object);
	if (awaited.object)
		add_call(text, &awaited);
	walk_open(&walk, py, top);
	for (unsigned i = 0; i < FRAMES_MAX && walk_step(&walk, &frame) && !is_lost(py, &frame);
	     i++)
		if (!frame_is_of_c(&frame) && frame_read_code(py, &frame) && frame.shown)
			add_frame(text, &frame);
}

size_t pygreenlets_stack(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct text to = {.py = py, .at = text, .bytes = bytes};
	struct frame frame;
	struct walk walk;
	uint64_t parent;

	*text = '\0';
	walk_open(&walk, py, top);
	if (!walk_on(&walk, &frame) || !frame_is(py, &frame, "run", "/gevent/hub.py"))
		return 0;
	to.hub = frame.file;
	parent = member_of(py, frame_local(py, &frame, 0), "greenlet.greenlet");
	if (parent)
		add_greenlet(&to, parent);
	*to.at = '\0';
	return (size_t)(to.at - text);
}
