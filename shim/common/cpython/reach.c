/* SPDX-License-Identifier: Apache-2.0 */
/* Steps from an object to those that it has. See reach.h. */
#include "reach.h"

#define CLASSES_MAX 16u
#define ITEMS_MAX 64u
#define KEY_PARTS_MAX 4u /* of a tuple */
#define SLOTS_MAX 64u /* names of a class that may be slots */
#define DESCRIPTOR_NAME 24 /* PyMemberDescrObject.d_name, */
#define DESCRIPTOR_MEMBER 40 /* d_member, */
#define MEMBER_OFFSET 16 /* PyMemberDef.offset */
#define OPAQUE_FIRST \
	2u /* words behind the head of an object whose layout differs between versions */
#define OPAQUE_WORDS 20u
#define CACHED_MAX 128u

bool reach_type_has(const struct cpython *py, uint64_t type, enum reach_flag flag)
{
	return type && cpython_peek_word(py, type + py->at.type_flags) & (uint32_t)flag;
}

static bool is_of(const struct cpython *py, uint64_t object, enum reach_flag flag)
{
	return object && reach_type_has(py, cpython_type(py, object), flag);
}

bool reach_is_class(const struct cpython *py, uint64_t object)
{
	return is_of(py, object, FLAG_TYPE);
}

/* ---- slots ---- */

uint64_t reach_class(const struct cpython *py, uint64_t type, unsigned number)
{
	uint64_t order = cpython_member(py, type, TYPE_MRO);

	return number < CLASSES_MAX && order && cpython_is_a(py, order, "tuple") &&
			       number < cpython_member(py, order, CPYTHON_SIZE) ?
		       cpython_peek_word(py, order + py->at.tuple_items + 8ull * number) :
		       0;
}

/* 0: no class statement made it. */
static uint64_t class_dict(const struct cpython *py, uint64_t class)
{
	return reach_type_has(py, class, FLAG_HEAP) ? cpython_member(py, class, TYPE_DICT) : 0;
}

struct slot {
	uint64_t name, value;
};

static bool read_slot(const struct cpython *py, uint64_t descriptor, uint64_t object,
		      struct slot *slot)
{
	uint64_t member;

	if (!cpython_is_a(py, descriptor, "member_descriptor"))
		return false;
	slot->name = cpython_member(py, descriptor, DESCRIPTOR_NAME);
	member = cpython_member(py, descriptor, DESCRIPTOR_MEMBER);
	slot->value = cpython_peek_word(py, object + cpython_peek_word(py, member + MEMBER_OFFSET));
	return slot->value;
}

static unsigned read_slots(const struct cpython *py, uint64_t object, struct slot *slot,
			   unsigned most)
{
	uint64_t type = cpython_type(py, object), value[SLOTS_MAX], class, dict;
	unsigned seen = 0, count;

	for (unsigned i = 0; (class = reach_class(py, type, i)); i++) {
		dict = class_dict(py, class);
		count = dict ? cpython_dict_values(py, dict, value, SLOTS_MAX) : 0;
		for (unsigned k = 0; k < count && seen < most; k++)
			seen += read_slot(py, value[k], object, &slot[seen]);
	}
	return seen;
}

static uint64_t slot_key(const struct cpython *py, uint64_t holder, uint64_t object)
{
	struct slot slot[SLOTS_MAX];
	unsigned count = read_slots(py, holder, slot, SLOTS_MAX);

	for (unsigned i = 0; i < count; i++)
		if (slot[i].value == object)
			return slot[i].name;
	return 0;
}

unsigned reach_slots(const struct cpython *py, uint64_t holder, uint64_t *value, unsigned most)
{
	struct slot slot[SLOTS_MAX];
	unsigned count = read_slots(py, holder, slot, most < SLOTS_MAX ? most : SLOTS_MAX);

	for (unsigned i = 0; i < count; i++)
		value[i] = slot[i].value;
	return count;
}

uint64_t reach_attribute_key(const struct cpython *py, uint64_t holder, uint64_t object)
{
	uint64_t key = cpython_attribute_key(py, holder, object);

	return key ? key : slot_key(py, holder, object);
}

uint64_t reach_class_key(const struct cpython *py, uint64_t holder, uint64_t object)
{
	uint64_t class, dict, key = 0, type = cpython_type(py, holder);

	if (type && reach_type_has(py, type, FLAG_TYPE))
		type = holder;
	if (!type || !reach_type_has(py, type, FLAG_HEAP))
		return 0;
	for (unsigned i = 0; !key && (class = reach_class(py, type, i)); i++) {
		dict = class_dict(py, class);
		key = dict ? cpython_dict_key(py, dict, object) : 0;
	}
	return key;
}

/* ---- items ---- */

static uint64_t items_of(const struct cpython *py, uint64_t container, unsigned *count)
{
	uint64_t size = cpython_member(py, container, CPYTHON_SIZE);

	*count = size < ITEMS_MAX ? (unsigned)size : ITEMS_MAX;
	return is_of(py, container, FLAG_LIST) ? cpython_member(py, container, CPYTHON_LIST_ITEMS) :
						 container + py->at.tuple_items;
}

static struct reach item_step(const struct cpython *py, uint64_t holder, uint64_t object)
{
	unsigned count, i = 0, named = 0;
	uint64_t at = items_of(py, holder, &count), fields, names;

	while (i < count && cpython_peek_word(py, at + 8ull * i) != object)
		i++;
	if (i == count)
		return (struct reach){0};
	fields = class_dict(py, cpython_type(py, holder));
	fields = cpython_dict_find(py, fields, "_fields"); /* of a named tuple */
	names = fields && is_of(py, fields, FLAG_TUPLE) ? items_of(py, fields, &named) : 0;
	return i < named ?
		       (struct reach){REACH_ATTRIBUTE, cpython_peek_word(py, names + 8ull * i), 0} :
		       (struct reach){REACH_INDEX, 0, i};
}

/* ---- what functions return ---- */

/* A word of the object that is this, or has the dictionary that it asks for. */
static bool has_word(const struct cpython *py, uint64_t holder, uint64_t object)
{
	uint64_t word[OPAQUE_WORDS];

	for (unsigned n = OPAQUE_WORDS; n > OPAQUE_FIRST; n /= 2) {
		if (!cpython_peek(py, word, holder, 8 * n))
			continue;
		for (unsigned i = OPAQUE_FIRST; i < n; i++)
			if (word[i] == object)
				return true;
		return false;
	}
	return false;
}

/* A cache without a limit has the results themselves, one with a limit has entries that have them. */
static uint64_t cached_key(const struct cpython *py, uint64_t cache, uint64_t object)
{
	uint64_t value[CACHED_MAX], key = cpython_dict_key(py, cache, object);
	unsigned count = key ? 0 : cpython_dict_values(py, cache, value, CACHED_MAX);

	for (unsigned i = 0; i < count && !key; i++)
		if (cpython_is_a(py, value[i], "functools._lru_list_elem") &&
		    has_word(py, value[i], object))
			key = cpython_dict_key(py, cache, value[i]);
	return key;
}

static struct reach cached_step(const struct cpython *py, uint64_t holder, uint64_t object)
{
	uint64_t word[OPAQUE_WORDS], key = 0;

	if (!cpython_peek(py, word, holder, sizeof(word)))
		return (struct reach){0};
	for (unsigned i = OPAQUE_FIRST; i < OPAQUE_WORDS && !key; i++)
		if (cpython_is_a(py, word[i], "dict"))
			key = cached_key(py, word[i], object);
	return (struct reach){key ? REACH_CALL : REACH_NONE, key, 0};
}

static bool is_context_variable(const struct cpython *py, uint64_t object)
{
	return cpython_is_a(py, object, "ContextVar") ||
	       cpython_is_a(py, object, "_contextvars.ContextVar");
}

/* ---- all ---- */

struct reach reach_step(const struct cpython *py, uint64_t holder, uint64_t object)
{
	struct reach step = {0};

	if (!holder || !object || reach_is_class(py, holder))
		return step;
	if (is_of(py, holder, FLAG_DICT)) {
		step.key = cpython_dict_key(py, holder, object);
		step.kind = step.key ? REACH_KEY : REACH_NONE;
	} else if (is_of(py, holder, FLAG_LIST) || is_of(py, holder, FLAG_TUPLE)) {
		step = item_step(py, holder, object);
	} else if (cpython_is_a(py, holder, "functools._lru_cache_wrapper")) {
		step = cached_step(py, holder, object);
	} else if (is_context_variable(py, holder)) {
		step.kind = has_word(py, holder, object) ? REACH_GET : REACH_NONE;
	}
	if (step.kind)
		return step;
	step.key = reach_attribute_key(py, holder, object);
	step.kind = step.key ? REACH_ATTRIBUTE : REACH_NONE;
	return step;
}

unsigned reach_all(const struct cpython *py, uint64_t holder, uint64_t *object, unsigned most)
{
	unsigned count;
	uint64_t at;

	if (!holder || reach_is_class(py, holder) || is_of(py, holder, FLAG_TEXT))
		return 0;
	if (is_of(py, holder, FLAG_DICT))
		return cpython_dict_values(py, holder, object, most);
	if (is_of(py, holder, FLAG_LIST) || is_of(py, holder, FLAG_TUPLE)) {
		at = items_of(py, holder, &count);
		count = count < most ? count : most;
		return count && cpython_peek(py, object, at, 8ull * count) ? count : 0;
	}
	count = cpython_attribute_values(py, holder, object, most);
	return count + reach_slots(py, holder, object + count, most - count);
}

/* ---- as text ---- */

/* An int that is not negative and has one digit. */
static bool is_small(const struct cpython *py, uint64_t key)
{
	uint64_t tag = cpython_member(py, key, CPYTHON_SIZE);

	return cpython_is_a(py, key, "int") &&
	       (py->at.minor < 12 ? tag <= 1 : (tag & 3) != 2 && tag >> 3 <= 1);
}

static void write_part(struct writer *w, const struct cpython *py, uint64_t key)
{
	if (cpython_is_a(py, key, "str")) {
		writer_byte(w, '\'');
		writer_string(w, py, key);
		writer_byte(w, '\'');
	} else if (is_small(py, key)) {
		writer_decimal(w, (unsigned)(uint32_t)cpython_member(py, key, CPYTHON_INT_VALUE));
	} else {
		writer_chars(w, "…");
	}
}

static void write_key(struct writer *w, const struct cpython *py, uint64_t key)
{
	unsigned count;
	uint64_t at;

	if (!cpython_is_a(py, key, "tuple")) {
		write_part(w, py, key);
		return;
	}
	at = items_of(py, key, &count);
	for (unsigned i = 0; i < count && i < KEY_PARTS_MAX; i++) {
		writer_chars(w, i ? ", " : "");
		write_part(w, py, cpython_peek_word(py, at + 8ull * i));
	}
}

void reach_write(struct writer *w, const struct cpython *py, const struct reach *step)
{
	switch (step->kind) {
	case REACH_NONE:
		break;
	case REACH_ATTRIBUTE:
		writer_byte(w, '.');
		writer_string(w, py, step->key);
		break;
	case REACH_KEY:
	case REACH_CALL:
		writer_byte(w, step->kind == REACH_KEY ? '[' : '(');
		write_key(w, py, step->key);
		writer_byte(w, step->kind == REACH_KEY ? ']' : ')');
		break;
	case REACH_INDEX:
		writer_byte(w, '[');
		writer_decimal(w, step->index);
		writer_byte(w, ']');
		break;
	case REACH_GET:
		writer_chars(w, ".get()");
		break;
	}
}
