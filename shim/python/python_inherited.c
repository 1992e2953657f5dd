/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conditions and queues that a forking thread has at hand, so that the child can tell them from
 * those that it makes itself, and the locks that are locked: a PyMutex calls nothing when it is made or
 * taken. At hand are its variables, the globals around them, what `self` and the started Process have, and what the first few objects
 * of the program's classes among these have. One that is not remembered is of unknown origin.
 *
 * An address alone proves nothing, since the child may have freed the object and made another. So
 * the addresses of its parts are remembered, too: freed together they come back in the opposite
 * order.
 */
#include <sys/uio.h>

#include "../common/cpython/process.h"
#include "../common/cpython/reach.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "python.h"
#include "python_self.h"

#define REMEMBERED_MAX 48u
#define LOCKED_MAX 32u
#define LOOKED_AT_MAX 256u /* objects at a fork, and as many that they have */
#define WHOLES_MAX 16u /* objects of the program's classes that are looked into */
#define AT_ONCE_MAX 64u
#define ATTRIBUTES_MAX 12u
#define FRAMES_MAX 12u
#define FRAMES_OF_START 4u /* of multiprocessing, from Process.start to the fork */
#define WAITS_MAX 4u /* frames of threading and queue between a wait and its caller */
#define TYPES 64u
#define PARTS 4
#define NAME_BYTES 20
#define FUNCTION_GLOBALS 16
#define CELL_VALUE 16
#define METHOD_FUNCTION 16
#define METHOD_SELF 24

static struct {
	uint32_t count;
	struct {
		uint64_t object, attribute[ATTRIBUTES_MAX];
	} item[REMEMBERED_MAX];
} remembered LARGE;

static struct {
	uint32_t count;
	uint64_t address[LOCKED_MAX];
} locked; /* the PyMutexes */

/* ---- types ---- */

enum kind { OTHER = 1, CELL, LOCK, WAITABLE, AROUND, WHOLE };

/* What is known of types. One that was freed meanwhile is found out when the child waits. */
static struct {
	uint64_t type;
	enum kind kind;
} known[TYPES];

/* Most types that are made at run time are classes of the program; those of classes are not meant. */
static enum kind kind_of_other(uint64_t type)
{
	return reach_type_has(&python.py, type, FLAG_HEAP) &&
			       !reach_type_has(&python.py, type, FLAG_TYPE) ?
		       WHOLE :
		       OTHER;
}

static enum kind kind_of_type(uint64_t type)
{
	static const struct {
		char name[NAME_BYTES];
		enum kind kind;
	} names[] = {
		{"Queue", WAITABLE},	 {"LifoQueue", WAITABLE}, {"PriorityQueue", WAITABLE},
		{"Condition", WAITABLE}, {"Semaphore", AROUND},	  {"BoundedSemaphore", AROUND},
		{"Event", AROUND},	 {"Barrier", AROUND},	  {"cell", CELL},
		{"_thread.lock", LOCK},
	};
	unsigned at = (unsigned)(type >> 4) % TYPES;
	char text[NAME_BYTES] = "";

	if (known[at].type == type)
		return known[at].kind;
	known[at].kind = kind_of_other(type);
	known[at].type = type;
	cpython_peek(&python.py, text, cpython_member(&python.py, type, CPYTHON_TYPE_NAME),
		     sizeof(text));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!memcmp(text, names[i].name, strlen(names[i].name) + 1))
			known[at].kind = names[i].kind;
	return known[at].kind;
}

/* ---- at a fork ---- */

static void remember_waitable(uint64_t object)
{
	uint64_t *attribute = remembered.item[remembered.count % REMEMBERED_MAX].attribute;

	for (uint32_t i = 0; i < remembered.count; i++)
		if (remembered.item[i].object == object)
			return;
	if (remembered.count == REMEMBERED_MAX)
		return;
	memset(attribute, 0, sizeof(remembered.item->attribute));
	if (cpython_attribute_values(&python.py, object, attribute, ATTRIBUTES_MAX))
		remembered.item[remembered.count++].object = object;
}

static void remember_lock(uint64_t object)
{
	uint64_t address = object + python_lock_offset();
	unsigned char byte;

	if (locked.count < LOCKED_MAX && cpython_peek(&python.py, &byte, address, 1) &&
	    byte & CPYTHON_MUTEX_LOCKED)
		locked.address[locked.count++] = address;
}

struct look {
	unsigned left, wholes;
	uint64_t value[AT_ONCE_MAX], whole[WHOLES_MAX];
};

static void remember_whole(struct look *look, uint64_t object)
{
	for (unsigned i = 0; i < look->wholes; i++)
		if (look->whole[i] == object)
			return;
	if (look->wholes < WHOLES_MAX)
		look->whole[look->wholes++] = object;
}

static void remember(struct look *look, uint64_t object, enum kind kind)
{
	uint64_t inner = object;

	if (kind == CELL)
		inner = cpython_member(&python.py, object, CELL_VALUE);
	else if (kind == AROUND)
		inner = cpython_attribute(&python.py, object, "_cond");
	if (inner != object)
		kind = inner ? kind_of_type(python_type(inner)) : OTHER;
	if (kind == LOCK)
		remember_lock(inner);
	else if (kind == WAITABLE)
		remember_waitable(inner);
	else if (kind == WHOLE)
		remember_whole(look, inner);
}

/* Reads the types of all of them at once. */
static void remember_values(struct look *look, unsigned count)
{
	struct iovec to[AT_ONCE_MAX], from[AT_ONCE_MAX];
	uint64_t type[AT_ONCE_MAX];
	unsigned kept = 0;
	enum kind kind;
	long got;

	for (unsigned i = 0; i < count && kept < look->left; i++) {
		if (!look->value[i] || look->value[i] % 8)
			continue;
		look->value[kept] = look->value[i];
		from[kept] = (struct iovec){
			(void *)(uintptr_t)(look->value[kept] + python.py.at.object_type),
			sizeof(*type)};
		to[kept] = (struct iovec){&type[kept], sizeof(*type)};
		kept++;
	}
	look->left -= kept;
	got = kept ? sys_peek_many(to, from, kept) : 0;
	for (unsigned i = 0; got > 0 && i < (size_t)got / sizeof(*type); i++) {
		kind = kind_of_type(type[i]);
		if (kind != OTHER)
			remember(look, look->value[i], kind);
	}
}

static void remember_words(struct look *look, uint64_t at, uint64_t count)
{
	const struct cpython *py = &python.py;

	count = count < AT_ONCE_MAX ? count : AT_ONCE_MAX;
	if (!count || !cpython_peek(py, look->value, at, 8 * count))
		return;
	for (unsigned i = 0; i < count; i++)
		look->value[i] = frame_untagged(py, look->value[i]);
	remember_values(look, (unsigned)count);
}

static void remember_dict(struct look *look, uint64_t dict)
{
	uint64_t all[2 * AT_ONCE_MAX];
	unsigned count = dict ? cpython_dict_values(&python.py, dict, all, 2 * AT_ONCE_MAX) : 0;

	for (unsigned i = 0; i < count; i += AT_ONCE_MAX) {
		unsigned part = count - i < AT_ONCE_MAX ? count - i : AT_ONCE_MAX;

		memcpy(look->value, all + i, part * sizeof(*all));
		remember_values(look, part);
	}
}

static void remember_attributes(struct look *look, uint64_t object)
{
	if (object)
		remember_values(look, cpython_attribute_values(&python.py, object, look->value,
							       AT_ONCE_MAX));
}

/* What a Process has, its target's arguments and what is around its target. */
static void remember_process(struct look *look, uint64_t process)
{
	const struct cpython *py = &python.py;
	uint64_t args = cpython_attribute(py, process, "_args"),
		 target = cpython_attribute(py, process, "_target");

	if (args && cpython_is_a(py, args, "tuple"))
		remember_words(look, args + py->at.tuple_items,
			       cpython_member(py, args, CPYTHON_SIZE));
	remember_dict(look, cpython_attribute(py, process, "_kwargs"));
	remember_attributes(look, process);
	if (target && cpython_is_a(py, target, "method")) {
		remember_attributes(look, cpython_member(py, target, METHOD_SELF));
		target = cpython_member(py, target, METHOD_FUNCTION);
	}
	if (cpython_code_of(py, target))
		remember_dict(look, cpython_member(py, target, FUNCTION_GLOBALS));
}

static void remember_frame(struct look *look, const struct frame *frame)
{
	const struct cpython *py = &python.py;
	uint32_t count = (uint32_t)cpython_peek_word(py, frame->code + py->at.code_locals);

	remember_words(look, frame->locals, count);
	if (count)
		remember_attributes(look, frame_local(py, frame, 0));
}

/* One step on: what they have, but not what that has. */
static void remember_parts(struct look *look)
{
	unsigned count = look->wholes;

	look->left = LOOKED_AT_MAX;
	look->wholes = WHOLES_MAX;
	for (unsigned i = 0; i < count && look->left; i++)
		remember_attributes(look, look->whole[i]);
}

void python_remember(bool farther)
{
	struct look look = {.left = LOOKED_AT_MAX, .wholes = farther ? 0 : WHOLES_MAX};
	uint64_t process, globals, last = 0;
	unsigned skip;
	struct state own;
	struct frame frame;
	struct walk walk;

	if (remembered.count) /* a page that is written at a fork is copied */
		remembered.count = 0;
	if (locked.count)
		locked.count = 0;
	if (!python_has_mutexes() || !python_holds_gil() || !python_own_state(&own))
		return;
	process = cpython_starting(&python.py, own.frame);
	skip = process ? FRAMES_OF_START : 0;
	if (process)
		remember_process(&look, process);
	walk_open(&walk, &python.py, own.frame);
	for (unsigned i = 0; i < FRAMES_MAX && look.left && walk_on(&walk, &frame); i++) {
		if (i < skip)
			continue;
		remember_frame(&look, &frame);
		globals = cpython_peek_word(&python.py, frame.at + python.py.at.frame_globals);
		if (globals != last)
			remember_dict(&look, globals);
		last = globals;
	}
	if (farther)
		remember_parts(&look);
}

/* ---- in the child ---- */

/* Whether the object has these parts, and had each in the same place at the fork. */
static bool has_kept(uint64_t object, const uint64_t *before, const char name[PARTS][NAME_BYTES])
{
	uint64_t now[ATTRIBUTES_MAX], part;
	unsigned count = cpython_attribute_values(&python.py, object, now, ATTRIBUTES_MAX), at;

	for (unsigned i = 0; i < PARTS; i++) {
		part = cpython_attribute(&python.py, object, name[i]);
		for (at = 0; at < count && now[at] != part;)
			at++;
		if (!part || at == count || before[at] != part)
			return false;
	}
	return true;
}

static bool is_remembered(uint64_t object)
{
	static const char condition[PARTS][NAME_BYTES] = {"_lock", "acquire", "release",
							  "_waiters"},
			  queue[PARTS][NAME_BYTES] = {"mutex", "not_empty", "not_full",
						      "all_tasks_done"};

	for (uint32_t i = 0; i < remembered.count; i++)
		if (remembered.item[i].object == object)
			return has_kept(object, remembered.item[i].attribute, condition) ||
			       has_kept(object, remembered.item[i].attribute, queue);
	return false;
}

bool python_was_locked(uint64_t mutex)
{
	for (uint32_t i = 0; i < locked.count; i++)
		if (locked.address[i] == mutex)
			return true;
	return false;
}

bool python_awaits_inherited(void)
{
	const struct cpython *py = &python.py;
	uint64_t condition = 0, self;
	struct state own;
	struct frame frame;
	struct walk walk;

	if (!remembered.count || !python_own_state(&own))
		return false;
	walk_open(&walk, py, own.frame);
	for (unsigned i = 0; i < WAITS_MAX && walk_on(&walk, &frame); i++) {
		if (!cpython_string_ends(py, frame.file, "/threading.py") &&
		    !cpython_string_ends(py, frame.file, "/queue.py"))
			return false;
		self = frame_local(py, &frame, 0);
		condition = condition ? condition : self;
		if ((self == condition || cpython_attribute_key(py, self, condition)) &&
		    is_remembered(self))
			return true;
	}
	return false;
}
