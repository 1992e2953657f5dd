/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the frames of a waiting thread for the name of a lock. */
#include "name.h"

#include "at_hand.h"

#define AT_HAND_MAX 48u /* local variables, and the frame's stack after them */
#define CELL_VALUE 16
#define TUPLE_SIZE 16
#define FRAMES_MAX 6u /* of threading and queue, around the lock, and the program's own */
#define TYPE_BYTES 64u
#define CLASSES_MAX 16u /* a class and those that it is derived from */
#define GLOBALS_MAX 256u
#define ATTRIBUTES_MAX 32u
#define LIST_ITEMS 24 /* a pointer to them */
#define ITEMS_MAX 64u
#define MODULES_NAMES_MAX 4096u /* looked at, of all modules together */

/* PyTypeObject */
#define TYPE_FLAGS 168
#define TYPE_DICT 264
#define TYPE_MRO 344
#define FLAG_HEAP (1ull << 9) /* made by a class statement */
#define FLAG_TYPE (1ull << 31) /* its instances are classes */

/* ---- what is named ---- */

/* The last part of a type's name. */
static void write_name(struct writer *w, const struct cpython *py, uint64_t type)
{
	char text[TYPE_BYTES];
	uint64_t at;
	const char *last = text;
	size_t i;

	at = cpython_member(py, type, CPYTHON_TYPE_NAME);
	for (i = 0; i < sizeof(text) - 1 && cpython_peek(py, &text[i], at + i, 1) && text[i]; i++)
		if (text[i] == '.')
			last = text + i + 1;
	text[i] = '\0';
	if (last == text + 8 && !memcmp(text, "_thread.lock", 13))
		last = "Lock";
	while (*last)
		writer_byte(w, (unsigned char)*last++);
}

static void write_type(struct writer *w, const struct cpython *py, uint64_t object)
{
	write_name(w, py, cpython_type(py, object));
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

	return object && cpython_is_a(py, object, "cell") ? cpython_member(py, object, CELL_VALUE) :
							    object;
}

/* The names of local variables, in their order. */
static uint64_t names_of(const struct cpython *py, const struct frame *frame, unsigned *count)
{
	uint64_t names = cpython_peek_word(py, frame->code + py->at.code_variables);
	uint64_t size = names && cpython_is_a(py, names, "tuple") ?
				cpython_member(py, names, TUPLE_SIZE) :
				0;

	*count = size < AT_HAND_MAX ? (unsigned)size : AT_HAND_MAX;
	return names + py->at.tuple_items;
}

static void write_local_of(struct writer *w, const struct cpython *py, const struct frame *frame)
{
	write_text(w, "\" (");
	write_base(w, py, frame->file);
	write_text(w, ", local of ");
	writer_string(w, py, frame->name);
	write_text(w, ")");
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
		write_local_of(w, py, frame);
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

static uint64_t flags_of(const struct cpython *py, uint64_t type)
{
	return cpython_member(py, type, TYPE_FLAGS);
}

/* Whether a class, or one that it is derived from, has the object as an attribute. */
static bool name_in_class(struct writer *w, const struct cpython *py, uint64_t type,
			  uint64_t object)
{
	uint64_t order = cpython_member(py, type, TYPE_MRO),
		 count = order && cpython_is_a(py, order, "tuple") ?
				 cpython_member(py, order, TUPLE_SIZE) :
				 0;

	for (unsigned i = 0; i < count && i < CLASSES_MAX; i++) {
		uint64_t class = cpython_peek_word(py, order + py->at.tuple_items + 8ull * i),
			 key = flags_of(py, class) & FLAG_HEAP ?
				       cpython_dict_key(py, cpython_member(py, class, TYPE_DICT),
							object) :
				       0;

		if (!key)
			continue;
		write_name(w, py, class);
		write_text(w, ".");
		writer_string(w, py, key);
		write_text(w, "\" (class attribute)");
		return true;
	}
	return false;
}

static bool is_class(const struct cpython *py, uint64_t object)
{
	return flags_of(py, cpython_type(py, object)) & FLAG_TYPE;
}

/* As an attribute of the class of a local variable, or of one that a global variable names. */
static bool name_class_attribute(struct writer *w, const struct cpython *py,
				 const struct frame *frame, uint64_t object)
{
	uint64_t global[GLOBALS_MAX], owner;
	unsigned count;

	names_of(py, frame, &count);
	for (unsigned i = 0; i < count; i++) {
		owner = variable(py, frame, i);
		if (owner &&
		    name_in_class(w, py, is_class(py, owner) ? owner : cpython_type(py, owner),
				  object))
			return true;
	}
	count = cpython_dict_values(py, cpython_peek_word(py, frame->at + py->at.frame_globals),
				    global, GLOBALS_MAX);
	for (unsigned i = 0; i < count; i++)
		if (is_class(py, global[i]) && name_in_class(w, py, global[i], object))
			return true;
	return false;
}

static void write_global(struct writer *w, const struct cpython *py, const struct frame *frame)
{
	write_text(w, "\" (");
	write_base(w, py, frame->file);
	write_text(w, ", global)");
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

/* As an attribute of a module or object that a global variable names. */
static bool name_global_attribute(struct writer *w, const struct cpython *py,
				  const struct frame *frame, uint64_t object)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 budget = MODULES_NAMES_MAX, global[GLOBALS_MAX], key;
	unsigned count = cpython_dict_values(py, names, global, GLOBALS_MAX);

	for (unsigned i = 0; i < count; i++) {
		bool module = cpython_is_a(py, global[i], "module");

		key = module ? module_key(py, global[i], object, &budget) :
			       cpython_attribute_key(py, global[i], object);
		if (!key)
			continue;
		writer_string(w, py, cpython_dict_key(py, names, global[i]));
		write_text(w, ".");
		writer_string(w, py, key);
		if (module) {
			write_global(w, py, frame);
			return true;
		}
		write_text(w, "\" of ");
		write_type(w, py, global[i]);
		return true;
	}
	return false;
}

/* ---- in a container ---- */

static void write_key(struct writer *w, const struct cpython *py, uint64_t key)
{
	bool text = cpython_is_a(py, key, "str");

	if (!text && !cpython_is_a(py, key, "int")) {
		write_text(w, "[…]");
		return;
	}
	write_text(w, text ? "['" : "[");
	if (text)
		writer_string(w, py, key);
	else
		writer_decimal(w, (unsigned)(uint32_t)cpython_member(py, key, CPYTHON_INT_VALUE));
	write_text(w, text ? "']" : "]");
}

/* The place of an object in a list or tuple; its length: it is not there. */
static uint64_t index_of(const struct cpython *py, uint64_t container, bool list, uint64_t object,
			 uint64_t *count)
{
	uint64_t at = list ? cpython_member(py, container, LIST_ITEMS) :
			     container + py->at.tuple_items,
		 i = 0;

	*count = cpython_member(py, container, TUPLE_SIZE);
	*count = *count < ITEMS_MAX ? *count : ITEMS_MAX;
	while (i < *count && cpython_peek_word(py, at + 8 * i) != object)
		i++;
	return i;
}

static bool is_dict(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "dict") ||
	       cpython_is_a(py, object, "collections.defaultdict");
}

static bool is_in(const struct cpython *py, uint64_t container, uint64_t object)
{
	bool list = cpython_is_a(py, container, "list");
	uint64_t count;

	if (is_dict(py, container))
		return cpython_dict_key(py, container, object);
	return (list || cpython_is_a(py, container, "tuple")) &&
	       index_of(py, container, list, object, &count) < count;
}

static void write_item(struct writer *w, const struct cpython *py, uint64_t container,
		       uint64_t object)
{
	uint64_t count;

	if (is_dict(py, container)) {
		write_key(w, py, cpython_dict_key(py, container, object));
		return;
	}
	write_text(w, "[");
	writer_decimal(w, (unsigned)index_of(py, container, cpython_is_a(py, container, "list"),
					     object, &count));
	write_text(w, "]");
}

/* In a container that a local variable is, or has as an attribute; or as an attribute of such an attribute. */
static bool name_local_item(struct writer *w, const struct cpython *py, const struct frame *frame,
			    uint64_t object)
{
	uint64_t attribute[ATTRIBUTES_MAX], owner, names, key;
	unsigned count, more;

	names = names_of(py, frame, &count);
	for (unsigned i = 0; i < count; i++) {
		owner = variable(py, frame, i);
		if (owner && is_in(py, owner, object)) {
			writer_string(w, py, cpython_peek_word(py, names + 8ull * i));
			write_item(w, py, owner, object);
			write_local_of(w, py, frame);
			return true;
		}
		more = owner ? cpython_attribute_values(py, owner, attribute, ATTRIBUTES_MAX) : 0;
		for (unsigned k = 0; k < more; k++) {
			bool item = attribute[k] && is_in(py, attribute[k], object);

			key = item || !attribute[k] ?
				      0 :
				      cpython_attribute_key(py, attribute[k], object);
			if (!item && !key)
				continue;
			writer_string(w, py, cpython_peek_word(py, names + 8ull * i));
			write_text(w, ".");
			writer_string(w, py, cpython_attribute_key(py, owner, attribute[k]));
			if (item) {
				write_item(w, py, attribute[k], object);
			} else {
				write_text(w, ".");
				writer_string(w, py, key);
			}
			write_text(w, "\" of ");
			write_type(w, py, owner);
			return true;
		}
	}
	return false;
}

static bool name_global_item(struct writer *w, const struct cpython *py, const struct frame *frame,
			     uint64_t object)
{
	uint64_t names = cpython_peek_word(py, frame->at + py->at.frame_globals),
		 global[GLOBALS_MAX];
	unsigned count = cpython_dict_values(py, names, global, GLOBALS_MAX);

	for (unsigned i = 0; i < count; i++) {
		if (!is_in(py, global[i], object))
			continue;
		writer_string(w, py, cpython_dict_key(py, names, global[i]));
		write_item(w, py, global[i], object);
		write_global(w, py, frame);
		return true;
	}
	return false;
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
	write_type(w, py, file);
	write_text(w, " \"");
	write_text(w, name);
	write_text(w, "\"");
	return true;
}

size_t cpython_lock_name(const struct cpython *py, const struct state *state, uint64_t address,
			 char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t object = 0, self;
	struct frame frame;
	struct walk walk;
	bool named = false;

	walk_open(&walk, py, state->frame);
	for (unsigned i = 0; i < FRAMES_MAX && !named && walk_on(&walk, &frame); i++) {
		object = object ? object : cpython_at_hand(py, &frame, address);
		named = i == 0 && name_standard(&w, py, state, object, address);
		if (!object || named)
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
			name_class_attribute(&w, py, &frame, object) ||
			name_local(&w, py, &frame, object) ||
			name_global_attribute(&w, py, &frame, object) ||
			name_local_item(&w, py, &frame, object) ||
			name_global_item(&w, py, &frame, object);
	}
	if (!named || w.at == w.end)
		w.at = w.start;
	return writer_close(&w, bytes);
}
