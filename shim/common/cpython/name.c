/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the frames of a waiting thread for the name of a lock. */
#include "name.h"

#include "at_hand.h"
#include "name_text.h"
#include "reach.h"

#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define CELL_VALUE 16
#define FRAMES_MAX 6u /* of threading and queue, around the lock, and the program's own */
#define HOLDER_FRAMES_MAX 64u
#define GLOBALS_MAX 256u
#define HELD_MAX 64u /* objects that one object has */
#define STEPS_MAX 5u /* from a variable to the lock: `self.table["a"].pool.lock` */
#define OBJECTS_MAX 2048u /* looked into for one name */
#define MODULES_NAMES_MAX 4096u /* looked at, of all modules together */

/* ---- where it has a name ---- */

static uint64_t variable(const struct cpython *py, const struct frame *frame, unsigned i)
{
	uint64_t object = frame_local(py, frame, i);

	return object && cpython_is_a(py, object, "cell") ? cpython_member(py, object, CELL_VALUE) :
							    object;
}

/*
 * The name of a local variable, by index; 0: there is none. From 3.11 on one tuple has them all; up to 3.10 there is one for
 * those without a cell, and two behind it: for cells of enclosing functions, and for own ones, which come first.
 */
static uint64_t name_of(const struct cpython *py, const struct frame *frame, unsigned i)
{
	static const unsigned char offset[] = {0, 16, 8};
	unsigned tuples = py->at.minor < 11 ? 3 : 1;

	for (unsigned k = 0; k < tuples && i < AT_HAND_MAX; k++) {
		uint64_t names = cpython_peek_word(py,
						   frame->code + py->at.code_variables + offset[k]),
			 size = names && cpython_is_a(py, names, "tuple") ?
					cpython_member(py, names, CPYTHON_SIZE) :
					0;

		if (i < size)
			return cpython_peek_word(py, names + py->at.tuple_items + 8ull * i);
		i -= (unsigned)size;
	}
	return 0;
}

static void write_local_of(struct writer *w, const struct cpython *py, const struct frame *frame)
{
	writer_chars(w, "\" (");
	name_write_base(w, py, frame->file);
	writer_chars(w, ", local of ");
	writer_string(w, py, frame->name);
	writer_chars(w, ")");
}

static bool name_local(struct writer *w, const struct cpython *py, const struct frame *frame,
		       uint64_t object)
{
	uint64_t name;

	for (unsigned i = 0; (name = name_of(py, frame, i)); i++) {
		if (variable(py, frame, i) != object)
			continue;
		writer_string(w, py, name);
		write_local_of(w, py, frame);
		return true;
	}
	return false;
}

/* The end of a name that begins with a variable: whose attribute it is, or where the variable is. */
typedef void write_where(struct writer *w, const struct cpython *py, const struct frame *frame);

static void write_end(struct writer *w, const struct cpython *py, const struct frame *frame,
		      uint64_t owner, const struct reach *first, write_where *where)
{
	if (first->kind != REACH_ATTRIBUTE) {
		where(w, py, frame);
		return;
	}
	writer_chars(w, "\" of ");
	name_write_owner(w, py, owner);
}

/*
 * A search from variable to variable: the steps from one to the object, `length` of them, and how many more objects may be
 * looked into. Short ways are tried from all variables first.
 */
struct path {
	struct reach step[STEPS_MAX];
	unsigned length, *budget;
	uint64_t holder; /* what the last step starts from */
};

static bool find_path(const struct cpython *py, uint64_t owner, uint64_t object, struct path *path,
		      unsigned from)
{
	uint64_t held[HELD_MAX];
	unsigned count;

	if (!owner || !*path->budget)
		return false;
	--*path->budget;
	if (from + 1 == path->length) {
		path->holder = owner;
		path->step[from] = reach_step(py, owner, object);
		return path->step[from].kind;
	}
	count = reach_all(py, owner, held, HELD_MAX);
	for (unsigned i = 0; i < count; i++) {
		if (!find_path(py, held[i], object, path, from + 1))
			continue;
		path->step[from] = reach_step(py, owner, held[i]);
		return true;
	}
	return false;
}

/* From the variable `key`. */
static bool name_path(struct writer *w, const struct cpython *py, const struct frame *frame,
		      uint64_t key, uint64_t owner, uint64_t object, struct path *path,
		      write_where *where)
{
	if (!find_path(py, owner, object, path, 0))
		return false;
	writer_string(w, py, key);
	for (unsigned i = 0; i < path->length; i++)
		reach_write(w, py, &path->step[i]);
	write_end(w, py, frame, owner, &path->step[0], where);
	return true;
}

/* From a local variable, mostly self. */
static bool name_from_local(struct writer *w, const struct cpython *py, const struct frame *frame,
			    uint64_t object, struct path *path)
{
	uint64_t name;

	for (unsigned i = 0; (name = name_of(py, frame, i)); i++)
		if (name_path(w, py, frame, name, variable(py, frame, i), object, path,
			      write_local_of))
			return true;
	return false;
}

/* Whether a dictionary of a class has the object, or something that has it. */
static bool name_in_dict(struct writer *w, const struct cpython *py, uint64_t class, uint64_t dict,
			 uint64_t object)
{
	uint64_t value[HELD_MAX], key = cpython_dict_key(py, dict, object);
	unsigned count = key ? 0 : cpython_dict_values(py, dict, value, HELD_MAX);
	struct reach step = {0};

	for (unsigned i = 0; i < count && !key; i++) {
		step = reach_step(py, value[i], object);
		key = step.kind ? cpython_dict_key(py, dict, value[i]) : 0;
	}
	if (!key)
		return false;
	name_write_class(w, py, class);
	writer_chars(w, ".");
	writer_string(w, py, key);
	reach_write(w, py, &step);
	writer_chars(w, "\" (class attribute)");
	return true;
}

/* Whether a class, or one that it is derived from, has the object as an attribute. */
static bool name_in_class(struct writer *w, const struct cpython *py, uint64_t type,
			  uint64_t object)
{
	uint64_t class;

	for (unsigned i = 0; (class = reach_class(py, type, i)); i++)
		if (reach_type_has(py, class, FLAG_HEAP) &&
		    name_in_dict(w, py, class, cpython_member(py, class, TYPE_DICT), object))
			return true;
	return false;
}

/* As an attribute of the class of a local variable, or of one that a global variable names. */
static bool name_class_attribute(struct writer *w, const struct cpython *py,
				 const struct frame *frame, uint64_t object)
{
	uint64_t global[GLOBALS_MAX], owner;
	unsigned count;

	for (unsigned i = 0; name_of(py, frame, i); i++) {
		owner = variable(py, frame, i);
		if (owner &&
		    name_in_class(w, py,
				  reach_is_class(py, owner) ? owner : cpython_type(py, owner),
				  object))
			return true;
	}
	count = cpython_dict_values(py, cpython_peek_word(py, frame->at + py->at.frame_globals),
				    global, GLOBALS_MAX);
	for (unsigned i = 0; i < count; i++)
		if (reach_is_class(py, global[i]) && name_in_class(w, py, global[i], object))
			return true;
	return false;
}

static void write_global(struct writer *w, const struct cpython *py, const struct frame *frame)
{
	writer_chars(w, "\" (");
	name_write_base(w, py, frame->file);
	writer_chars(w, ", global)");
}

static bool name_global(struct writer *w, const struct cpython *py, const struct frame *frame,
			uint64_t object)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 key = cpython_dict_key(py, names, object);

	if (!key)
		return false;
	writer_string(w, py, key);
	write_global(w, py, frame);
	return true;
}

/* The name that a module has for the object, if so many more names may be looked at. */
static uint64_t module_key(const struct cpython *py, uint64_t module, uint64_t object,
			   uint64_t *budget)
{
	uint64_t dict = cpython_member(py, module, CPYTHON_MODULE_DICT),
		 used = dict ? cpython_member(py, dict, CPYTHON_DICT_USED) : 0;

	if (used > *budget)
		return 0;
	*budget -= used;
	return cpython_dict_key(py, dict, object);
}

/* As a name of a module that a global variable names. */
static bool name_in_module(struct writer *w, const struct cpython *py, const struct frame *frame,
			   uint64_t object)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 budget = MODULES_NAMES_MAX, global[GLOBALS_MAX], key;
	unsigned count = cpython_dict_values(py, names, global, GLOBALS_MAX);

	for (unsigned i = 0; i < count; i++) {
		key = cpython_is_a(py, global[i], "module") ?
			      module_key(py, global[i], object, &budget) :
			      0;
		if (!key)
			continue;
		writer_string(w, py, cpython_dict_key(py, names, global[i]));
		writer_chars(w, ".");
		writer_string(w, py, key);
		write_global(w, py, frame);
		return true;
	}
	return false;
}

/* From a global variable. */
static bool name_from_global(struct writer *w, const struct cpython *py, const struct frame *frame,
			     uint64_t object, struct path *path)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 global[GLOBALS_MAX];
	unsigned count = cpython_dict_values(py, names, global, GLOBALS_MAX);

	for (unsigned i = 0; i < count; i++)
		if (!cpython_is_a(py, global[i], "module") &&
		    name_path(w, py, frame, cpython_dict_key(py, names, global[i]), global[i],
			      object, path, write_global))
			return true;
	return false;
}

/* ---- as the program sees it ---- */

static bool is_inside(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->file, "/threading.py") ||
	       cpython_string_ends(py, frame->file, "/multiprocessing/synchronize.py") ||
	       cpython_string_ends(py, frame->file, "/queue.py") ||
	       cpython_string_ends(py, frame->file, "/contextlib.py") ||
	       cpython_string_ends(py, frame->file, "/concurrent/futures/_base.py") ||
	       cpython_string_ends(py, frame->file, "/concurrent/futures/thread.py");
}

/* Its queues and pools have locks that no program names. */
static bool is_of_multiprocessing(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->file, "/multiprocessing/queues.py") ||
	       cpython_string_ends(py, frame->file, "/multiprocessing/pool.py") ||
	       cpython_string_ends(py, frame->file, "/multiprocessing/connection.py");
}

/*
 * What the object is a part of, in a method of threading and the like: an attribute of that method's own object,
 * or what a Condition made for one wait.
 */
static uint64_t whole_of(const struct cpython *py, const struct frame *frame, uint64_t object)
{
	uint64_t self = frame_local(py, frame, 0);

	return self && (cpython_attribute_key(py, self, object) ||
			frame_is(py, frame, "wait", "/threading.py")) ?
		       self :
		       0;
}

/* Whichever frame prints to it, and however. `object`: what the innermost frame has at hand, if anything. */
static bool name_standard(struct writer *w, const struct cpython *py, const struct state *state,
			  uint64_t object, uint64_t address)
{
	struct cpython_lock lock;
	const char *name;
	uint64_t file;

	if (object && cpython_lock(py, object, &lock))
		return false;
	name = cpython_standard_file(py, state, address, &file);
	if (!name)
		return false;
	name_write_type(w, py, file);
	writer_chars(w, " \"");
	writer_chars(w, name);
	writer_chars(w, "\"");
	return true;
}

static void begin_name(struct writer *w, const struct cpython *py, uint64_t object)
{
	w->at = w->start;
	name_write_type(w, py, object);
	writer_chars(w, " \"");
}

static bool find_from_values(const struct cpython *py, const uint64_t *value, unsigned count,
			     uint64_t object, struct path *path)
{
	for (unsigned i = 0; i < count; i++)
		if (!cpython_is_a(py, value[i], "module") &&
		    find_path(py, value[i], object, path, 0))
			return true;
	return false;
}

/* The Lock of multiprocessing, or the like, that has a SemLock, by which frame reaches it; 0: unknown. */
static uint64_t shared_of(const struct cpython *py, const struct frame *frame, uint64_t object,
			  unsigned *budget)
{
	uint64_t local[AT_HAND_MAX], global[GLOBALS_MAX];
	struct path path = {.length = 1, .budget = budget};
	unsigned locals = 0, globals;

	for (; locals < AT_HAND_MAX && name_of(py, frame, locals); locals++)
		local[locals] = variable(py, frame, locals);
	globals = cpython_dict_values(py, cpython_peek_word(py, frame->at + py->at.frame_globals),
				      global, GLOBALS_MAX);
	for (; path.length <= STEPS_MAX && *budget; path.length++)
		if (find_from_values(py, local, locals, object, &path) ||
		    find_from_values(py, global, globals, object, &path))
			return path.holder;
	return 0;
}

/* `budget`: of all frames together. */
static bool name_by_frame(struct writer *w, const struct cpython *py, const struct frame *frame,
			  uint64_t object, unsigned *budget)
{
	struct path path = {.length = 1, .budget = budget};

	begin_name(w, py, object);
	if (name_global(w, py, frame, object) || name_from_local(w, py, frame, object, &path) ||
	    name_class_attribute(w, py, frame, object) || name_local(w, py, frame, object) ||
	    name_in_module(w, py, frame, object) || name_from_global(w, py, frame, object, &path))
		return true;
	for (path.length = 2; path.length <= STEPS_MAX && *budget; path.length++)
		if (name_from_local(w, py, frame, object, &path) ||
		    name_from_global(w, py, frame, object, &path))
			return true;
	return false;
}

/* What a frame of threading and the like knows of an object, for want of a name that the program gave to the whole. */
struct part {
	struct frame frame;
	uint64_t object;
};

/* Whether a frame names it; else what to look for in its caller. */
static bool name_or_go_on(struct writer *w, const struct cpython *py, const struct frame *frame,
			  uint64_t *object, struct part *part, unsigned *budget)
{
	uint64_t whole;

	if (cpython_is_shared(py, *object) && !is_inside(py, frame))
		*object = shared_of(py, frame, *object, budget);
	if (!*object || is_of_multiprocessing(py, frame))
		return false;
	if (!is_inside(py, frame))
		return name_by_frame(w, py, frame, *object, budget);
	whole = whole_of(py, frame, *object);
	if (whole && !part->object)
		*part = (struct part){*frame, *object};
	*object = whole ? whole : *object;
	begin_name(w, py, *object);
	return !whole && name_global(w, py, frame, *object);
}

/* What the frame has at hand, or releases at the end of a block, for which `address` is a lock. */
static uint64_t seek_object(const struct cpython *py, const struct frame *frame, uint64_t address,
			    bool holds)
{
	struct with_block block[WITH_MAX];
	struct cpython_lock lock;

	if (!holds)
		return cpython_at_hand(py, frame, address);
	for (unsigned i = with_blocks(py, frame, block); i-- > 0;)
		if (cpython_lock_in(py, &block[i], &lock) && lock.address == address)
			return block[i].self;
	return 0;
}

/* The frame that has the lock at hand is the innermost one of a thread that waits, any of one that holds it. */
static bool name_by_frames(struct writer *w, const struct cpython *py, const struct state *state,
			   uint64_t address, bool holds)
{
	unsigned left = FRAMES_MAX, unseen = holds ? HOLDER_FRAMES_MAX : 1;
	struct part part = {.object = 0};
	unsigned budget = OBJECTS_MAX;
	uint64_t object = 0;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, state->frame);
	while (left && walk_on(&walk, &frame)) {
		object = object ? object : seek_object(py, &frame, address, holds);
		if (left == FRAMES_MAX && !holds && name_standard(w, py, state, object, address))
			return true;
		if (!object && !--unseen)
			break;
		left -= object != 0;
		if (object && name_or_go_on(w, py, &frame, &object, &part, &budget))
			return true;
	}
	return part.object && name_by_frame(w, py, &part.frame, part.object, &budget);
}

/* A lock that was taken by acquire(): the innermost frames that the program wrote. */
static bool name_object(struct writer *w, const struct cpython *py, const struct state *state,
			uint64_t object)
{
	unsigned left = object ? FRAMES_MAX : 0, budget = OBJECTS_MAX;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, state->frame);
	while (left && walk_on(&walk, &frame)) {
		if (is_inside(py, &frame))
			continue;
		left--;
		if (name_by_frame(w, py, &frame, object, &budget))
			return true;
	}
	return false;
}

size_t cpython_lock_name(const struct cpython *py, const struct state *state, uint64_t address,
			 uint64_t object, bool holds, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t parked = cpython_parked_for(py, address);
	bool named = name_by_frames(&w, py, state, address, holds) ||
		     (parked && name_by_frames(&w, py, state, parked, holds)) ||
		     name_object(&w, py, state, object);

	if (!named || w.at == w.end)
		w.at = w.start;
	return writer_close(&w, bytes);
}
