/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Python objects refer to, by the layout of their types in CPython 3.11 to 3.14. Only what
 * they own counts, once for each reference; what is omitted makes an object look shared.
 */
#include "pyowned_walk.h"

#define HAS_INLINE_VALUES (1u << 2) /* 3.13 on */
#define IS_MANAGED_DICT (1u << 4)
#define IS_LIST (1u << 25)
#define IS_TUPLE (1u << 26)
#define IS_DICT (1u << 29)
#define HEAD 16 /* of an object: its count and type; then its size, if it has one */
#define SET_MASK 32
#define SET_TABLE 40
#define DEQUE_BLOCK 24
#define DEQUE_INDEX 40
#define DEQUE_ITEMS 64u /* of one block, between two links */
#define ITEMS_MAX 2000u
#define DICT_BEFORE 24 /* before an object: its dictionary, or in 3.12 its marked values */
#define VALUES_BEFORE 32 /* 3.11 */
#define TYPE_BASIC_SIZE 32 /* behind which the values are from 3.14 on; in 3.13 behind the head */
#define VALUES_EMBEDDED 2 /* bytes of the values' head, from 3.13 on */
#define VALUES_VALID 3
#define KEYS_INDICES 32

/* The fields of simple types that own a reference, by offset. */
static const struct simple {
	const char *name;
	unsigned char field[4];
} simple[] = {
	{"cell", {16}},
	{"method", {16, 24}}, /* a bound one: function and object */
	{"function", {56, 64, 72, 88}}, /* defaults, closure, attributes */
	{"functools.partial", {16, 24, 32, 40}},
	{"builtin_function_or_method", {24}},
	{"list_iterator", {24}},
	{"tuple_iterator", {24}},
};

static uint64_t field(const struct owned *owned, uint64_t object, unsigned at)
{
	return cpython_peek_word(owned->py, object + at);
}

static void visit_items(struct owned *owned, uint64_t items, uint64_t count)
{
	uint64_t item[64];

	for (uint64_t i = 0; count <= ITEMS_MAX && i < count; i += 64) {
		uint64_t some = count - i < 64 ? count - i : 64;

		if (!cpython_peek(owned->py, item, items + 8 * i, 8 * some))
			return;
		for (uint64_t k = 0; k < some; k++)
			owned_add(owned, item[k]);
	}
}

/* ---- dictionaries ---- */

/* `values`: of a dictionary that shares its keys with others; 0: it has entries of its own. */
static void visit_entries(struct owned *owned, uint64_t keys, uint64_t values)
{
	uint64_t count = field(owned, keys, 24), entry[3] = {0}, at;
	unsigned char
		head[3]; /* log2 of the sizes of the table and its indices; what the keys are */
	unsigned bytes;

	if (count > ITEMS_MAX || !cpython_peek(owned->py, head, keys + 8, sizeof(head)) ||
	    head[1] > 31)
		return;
	if (values) {
		visit_items(owned, values, count);
		return;
	}
	at = keys + KEYS_INDICES + (1ull << head[1]);
	bytes = head[2] ? 16 : 24; /* key and value; before them the hash, unless keys are text */
	for (uint64_t i = 0; i < count; i++) {
		if (!cpython_peek(owned->py, entry, at + bytes * i, bytes))
			return;
		owned_add(owned, entry[bytes / 8 - 1]);
		if (bytes == 24)
			owned_add(owned, entry[1]);
	}
}

/* A byte of the head of values; 0: not readable. */
static unsigned char values_head(const struct owned *owned, uint64_t values, unsigned at)
{
	unsigned char byte = 0;

	cpython_peek(owned->py, &byte, values + at, 1);
	return byte;
}

/* Values inside of an instance belong to that. */
static void visit_dict(struct owned *owned, uint64_t dict)
{
	const struct cpython_layout *at = &owned->py->at;
	uint64_t values = field(owned, dict, at->dict_values);

	if (!values || !at->values_items || !values_head(owned, values, VALUES_EMBEDDED))
		visit_entries(owned, field(owned, dict, at->dict_keys),
			      values ? values + at->values_items : 0);
}

/* Where an instance has attributes itself, not in a dictionary object; 0: it has none. */
static uint64_t inline_values(const struct owned *owned, uint64_t object, uint64_t type)
{
	const struct cpython_layout *at = &owned->py->at;
	uint64_t word = field(owned, object - DICT_BEFORE, 0), values;

	if (at->minor == 11)
		return field(owned, object - VALUES_BEFORE, 0);
	if (at->minor == 12)
		return word & 1 ? word + 1 : 0;
	if (!(field(owned, type, at->type_flags) & HAS_INLINE_VALUES))
		return 0;
	values = object + (at->minor == 13 ? HEAD : field(owned, type, TYPE_BASIC_SIZE));
	return values_head(owned, values, VALUES_VALID) ? values + at->values_items : 0;
}

static bool has_dict(const struct owned *owned, uint64_t type)
{
	return cpython_peek_word(owned->py, type + owned->py->at.type_flags) & IS_MANAGED_DICT;
}

/* From 3.13 on an instance may have both. */
uint64_t owned_dict(const struct owned *owned, uint64_t object, uint64_t type)
{
	return has_dict(owned, type) &&
			       (owned->py->at.minor > 12 || !inline_values(owned, object, type)) ?
		       field(owned, object - DICT_BEFORE, 0) :
		       0;
}

static void visit_instance(struct owned *owned, uint64_t object, uint64_t type)
{
	uint64_t values = inline_values(owned, object, type);

	if (values)
		visit_entries(owned, field(owned, type, owned->py->at.type_cached_keys), values);
	owned_add(owned, owned_dict(owned, object, type));
}

/* ---- other containers ---- */

static void visit_set(struct owned *owned, uint64_t set)
{
	uint64_t table = field(owned, set, SET_TABLE), places = field(owned, set, SET_MASK) + 1;
	uint64_t entry[2];

	for (uint64_t i = 0; places <= ITEMS_MAX && i < places; i++) {
		if (!cpython_peek(owned->py, entry, table + 16 * i, sizeof(entry)))
			return;
		if (entry[1] != UINT64_MAX) /* the place of one that was removed */
			owned_add(owned, entry[0]);
	}
}

static void visit_deque(struct owned *owned, uint64_t deque)
{
	uint64_t count = field(owned, deque, HEAD), index = field(owned, deque, DEQUE_INDEX);
	uint64_t block = field(owned, deque, DEQUE_BLOCK);

	for (uint64_t i = 0; count <= ITEMS_MAX && i < count; i++, index++) {
		if (index == DEQUE_ITEMS) {
			block = field(owned, block, 8 + 8 * DEQUE_ITEMS);
			index = 0;
		}
		if (!block || index > DEQUE_ITEMS)
			return;
		owned_add(owned, field(owned, block + 8 + 8 * index, 0));
	}
}

static void visit_simple(struct owned *owned, uint64_t object, const char *name)
{
	for (size_t i = 0; i < sizeof(simple) / sizeof(*simple); i++)
		for (unsigned k = 0; !strcmp(name, simple[i].name) && k < 4 && simple[i].field[k];
		     k++)
			owned_add(owned, field(owned, object, simple[i].field[k]));
}

void owned_visit(struct owned *owned, uint64_t object, uint64_t type)
{
	uint64_t flags = field(owned, type, owned->py->at.type_flags);
	char name[24] = "";

	if (flags & IS_MANAGED_DICT)
		visit_instance(owned, object, type);
	if (flags & IS_LIST)
		visit_items(owned, field(owned, object, CPYTHON_LIST_ITEMS),
			    field(owned, object, HEAD));
	if (flags & IS_TUPLE)
		visit_items(owned, object + owned->py->at.tuple_items, field(owned, object, HEAD));
	if (flags & IS_DICT)
		visit_dict(owned, object);
	if (flags & (IS_MANAGED_DICT | IS_LIST | IS_TUPLE | IS_DICT) ||
	    !cpython_peek(owned->py, name, field(owned, type, CPYTHON_TYPE_NAME), sizeof(name) - 1))
		return;
	if (!strcmp(name, "collections.deque"))
		visit_deque(owned, object);
	else if (!strcmp(name, "set") || !strcmp(name, "frozenset"))
		visit_set(owned, object);
	else
		visit_simple(owned, object, name);
}
