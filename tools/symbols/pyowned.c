/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the references that frames and objects have to each other, beginning with the frames of
 * some threads. An object with more of them than were found belongs to others, too, and so does all
 * that it refers to.
 */
#include "pyowned.h"

#include <stdlib.h>

#include "../../shim/common/cpython/lock.h"
#include "pylock.h"
#include "pyowned_walk.h"

#define OBJECTS_MAX 4000u /* what is farther away counts as unknown */
#define PLACES 16384u /* of the hash table, a power of two */
#define FRAMES_MAX 256u
#define SLOTS_MAX 1024u /* of one frame */
#define SAVED_TOP 64 /* of a frame: how many slots are in use; negative while it runs */
#define FIRST_POINTER 14 /* from 3.14 on: the end of these slots; 0 while it runs */
#define NOT_COUNTED \
	1u /* the lowest bit of a slot, from 3.14 on: somebody else's reference is used */
#define RUN_SLOTS 4u /* of Thread.run's stack: a mark, the function, its arguments */
#define STACK_SLOTS 32u /* of a stack, in which the lock of a call is looked for */
#define BYTE_PARKED_FOR 16 /* of a SimpleQueue, from 3.13 on */
#define TYPE_WEAKREFS 208
#define WEAKREFS_BEFORE 32 /* before an object, in 3.12 */
#define IS_MANAGED_WEAKREF (1u << 3)
#define IMMORTAL (1ull << 29) /* its references are not counted */
#define FIRST_NARROW 14 /* from 3.14 on the count has 32 bits, and flags above */

/* ---- objects ---- */

/* The place in the hash table of an object, or where it would go. */
static uint32_t *find_place(const struct owned *owned, uint64_t at)
{
	uint64_t i = (at >> 4) * 0x9e3779b97f4a7c15ull >> 50;

	while (owned->place[i % PLACES] &&
	       owned->object.item[owned->place[i % PLACES] - 1].at != at)
		i++;
	return &owned->place[i % PLACES];
}

/* A weak reference is not counted, but leads to the object. */
static bool has_weakrefs(const struct cpython *py, uint64_t at, uint64_t type)
{
	uint64_t offset = cpython_peek_word(py, type + TYPE_WEAKREFS);

	if (offset && cpython_peek_word(py, at + offset))
		return true;
	return py->at.minor >= 12 &&
	       cpython_peek_word(py, type + py->at.type_flags) & IS_MANAGED_WEAKREF &&
	       cpython_peek_word(py, at - WEAKREFS_BEFORE);
}

/* NULL: too many. */
static struct owned_object *know(struct owned *owned, uint64_t at)
{
	uint32_t *place = find_place(owned, at);
	struct owned_object *object;
	uint64_t head[2];

	if (*place)
		return &owned->object.item[*place - 1];
	if (owned->object.count == OBJECTS_MAX || !cpython_peek(owned->py, head, at, sizeof(head)))
		return NULL;
	object = ARRAY_ADD(&owned->object);
	*place = owned->object.count;
	if (owned->py->at.minor >= FIRST_NARROW)
		head[0] = (uint32_t)head[0];
	*object = (struct owned_object){.at = at, .type = head[1], .count = head[0]};
	object->others = head[0] >= IMMORTAL || has_weakrefs(owned->py, at, head[1]);
	return object;
}

void owned_add(struct owned *owned, uint64_t at)
{
	struct owned_object *object = at ? know(owned, at) : NULL;

	if (!object)
		return;
	object->found++;
	*ARRAY_ADD(&owned->edge) = (uint32_t)(object - owned->object.item);
}

/* Others may reach it: what it refers to is not looked at. */
static void give_to_others(struct owned *owned, uint64_t at)
{
	struct owned_object *object = at ? know(owned, at) : NULL;

	if (object)
		object->others = true;
}

/* ---- frames ---- */

/* The instruction that calls a function with a tuple and a dictionary of arguments. */
static unsigned char call_with_tuple(const struct cpython *py)
{
	return py->at.minor < 13 ? 142 : py->at.minor == 13 ? 54 : 4;
}

/* Whether it calls the function that the thread was given: its stack has what the call needs. */
static bool runs_function(const struct owned *owned, const struct frame *frame)
{
	unsigned char instruction = 0;

	return frame->instr >= 0 && frame_is(owned->py, frame, "Thread.run", "/threading.py") &&
	       cpython_peek(owned->py, &instruction,
			    frame->code + owned->py->at.code_units + (uint64_t)frame->instr, 1) &&
	       instruction == call_with_tuple(owned->py);
}

/*
 * How many slots of a frame that waits in a lock's acquire() are surely in use: all up to the lock
 * that the call is made with, or an earlier one that is the same.
 */
static unsigned slots_of_wait(const struct owned *owned, const struct frame *frame,
			      unsigned variables, uint64_t awaited)
{
	for (unsigned i = variables; awaited && i < variables + STACK_SLOTS; i++)
		if (frame_local(owned->py, frame, i) == awaited)
			return i + 1;
	return variables;
}

/* Negative: unknown. */
static int32_t saved_slots(const struct owned *owned, const struct frame *frame)
{
	uint64_t end = cpython_peek_word(owned->py, frame->at + SAVED_TOP), slots;

	if (owned->py->at.minor < FIRST_POINTER)
		return (int32_t)end;
	slots = (end - frame->locals) / sizeof(uint64_t);
	return end >= frame->locals && slots <= SLOTS_MAX ? (int32_t)slots : -1;
}

/*
 * How many slots of a frame own a reference: exact for one that has called another. Of one that has
 * called C code, its variables, and the calls that are known.
 */
static unsigned slots_of(const struct owned *owned, const struct frame *frame, uint64_t awaited)
{
	int32_t saved = saved_slots(owned, frame), variables = 0;

	if (!cpython_peek(owned->py, &variables, frame->code + owned->py->at.code_locals,
			  sizeof(variables)) ||
	    variables < 0 || variables > (int32_t)SLOTS_MAX || saved > (int32_t)SLOTS_MAX)
		return 0;
	if (saved >= 0)
		return (unsigned)saved;
	if (runs_function(owned, frame))
		return (unsigned)variables + RUN_SLOTS;
	return slots_of_wait(owned, frame, (unsigned)variables, awaited);
}

/* The lock that a thread waits for, if its innermost frame has it at hand. */
static uint64_t awaited_by(const struct owned *owned, uint64_t top, const uint64_t *lock,
			   unsigned locks)
{
	for (unsigned i = 0; i < locks; i++) {
		uint64_t object = pylock_at_hand(owned->py, top, lock[i]);

		if (object)
			return object;
	}
	return 0;
}

/*
 * A running Thread can be found by everybody, but what it was given to run with belongs to itself:
 * Python takes these attributes away in the end, and lets nobody else use them.
 */
static void visit_thread(struct owned *owned, uint64_t thread)
{
	static const char *const given[] = {"_target", "_args", "_kwargs"};
	uint64_t type = cpython_type(owned->py, thread);

	give_to_others(owned, thread);
	give_to_others(owned, owned_dict(owned, thread, type));
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		owned_add(owned, cpython_attribute(owned->py, thread, given[i]));
}

/* One that only borrows another's reference is not counted: that one lives as long, in this thread. */
static void add_slot(struct owned *owned, uint64_t at)
{
	uint64_t reference = cpython_peek_word(owned->py, at);

	if (owned->py->at.minor < FIRST_POINTER || !(reference & NOT_COUNTED))
		owned_add(owned, frame_untagged(owned->py, reference));
}

static void visit_frame(struct owned *owned, const struct frame *frame, uint64_t awaited)
{
	bool old = owned->py->at.minor == 11;
	unsigned slots = slots_of(owned, frame, awaited);

	if (frame_is(owned->py, frame, "_bootstrap_inner", "/threading.py"))
		visit_thread(owned, frame_local(owned->py, frame, 0));
	add_slot(owned, frame->at + (old ? 0 : 16)); /* function */
	for (unsigned i = 0; i < slots; i++)
		add_slot(owned, frame->locals + 8ull * i);
}

static void visit_frames(struct owned *owned, uint64_t state_at, const uint64_t *lock,
			 unsigned locks)
{
	struct state state;
	struct frame frame;
	struct walk walk;
	uint64_t awaited;

	if (!state_read(owned->py, &state, state_at) || !state.frame)
		return;
	awaited = awaited_by(owned, state.frame, lock, locks);
	walk_open(&walk, owned->py, state.frame);
	for (unsigned i = 0; i < FRAMES_MAX && walk_on(&walk, &frame); i++) {
		visit_frame(owned, &frame, awaited);
		awaited = 0;
	}
}

/* ---- who reaches what ---- */

static void visit_objects(struct owned *owned)
{
	for (uint32_t i = 0; i < owned->object.count; i++) {
		uint64_t at = owned->object.item[i].at, type = owned->object.item[i].type;

		owned->object.item[i].edges = owned->edge.count;
		if (!owned->object.item[i].others)
			owned_visit(owned, at, type);
		owned->object.item[i].edges_end = owned->edge.count;
	}
}

/* What others reach, and from there. */
static void spread(struct owned *owned)
{
	uint32_t *todo = memory_get((owned->object.count + 1) * sizeof(*todo)), left = 0;

	for (uint32_t i = 0; i < owned->object.count; i++) {
		struct owned_object *object = &owned->object.item[i];

		object->others |= object->found != object->count;
		if (object->others)
			todo[left++] = i;
	}
	while (left) {
		const struct owned_object *object = &owned->object.item[todo[--left]];

		for (uint32_t k = object->edges; k < object->edges_end; k++) {
			struct owned_object *to = &owned->object.item[owned->edge.item[k]];

			if (!to->others)
				todo[left++] = owned->edge.item[k];
			to->others = true;
		}
	}
	free(todo);
}

/* Whether a thread that waits for this address waits for the object. */
static bool is_awaited(const struct cpython *py, uint64_t object, uint64_t address)
{
	struct cpython_lock lock;

	return (cpython_lock(py, object, &lock) && lock.address == address) ||
	       (object + BYTE_PARKED_FOR == address &&
		cpython_is_a(py, object, "_queue.SimpleQueue"));
}

static uint32_t find_locks(const struct owned *owned, const uint64_t *lock, unsigned locks)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < owned->object.count; i++) {
		const struct owned_object *object = &owned->object.item[i];

		for (unsigned k = 0; !object->others && k < locks; k++)
			if (is_awaited(owned->py, object->at, lock[k]))
				found |= 1u << k;
	}
	return found;
}

/* Free-threaded, a reference may be counted later, or never. */
static bool is_counted(const struct cpython *py)
{
	return py->at.minor >= 11 && py->at.minor <= 14 &&
	       py->at.object_type + sizeof(uint64_t) == CPYTHON_HEAD;
}

uint32_t pyowned_locks(const struct cpython *py, const uint64_t *state, unsigned states,
		       const uint64_t *semaphore, unsigned locks)
{
	struct owned owned = {.py = py};
	uint64_t lock[PYOWNED_LOCKS];
	uint32_t found;

	if (!is_counted(py) || locks > PYOWNED_LOCKS)
		return 0;
	for (unsigned i = 0; i < locks; i++)
		lock[i] = cpython_parked_for(py, semaphore[i]) ?: semaphore[i];
	owned.place = memory_get(PLACES * sizeof(*owned.place));
	for (unsigned i = 0; i < states; i++)
		visit_frames(&owned, state[i], lock, locks);
	owned.edge.count = 0; /* those of frames lead from nowhere */
	visit_objects(&owned);
	spread(&owned);
	found = find_locks(&owned, lock, locks);
	free(owned.place);
	free(owned.object.item);
	free(owned.edge.item);
	return found;
}
