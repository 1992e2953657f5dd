/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step from an object to another that it has: an attribute, in its dictionary or a slot; an item of a list,
 * tuple or dictionary; what a cached function or a context variable returns.
 */
#pragma once

#include "object.h"

/* PyTypeObject */
#define TYPE_DICT 264
#define TYPE_MRO 344

/* A bit of tp_flags: made by a class statement; its instances are of this or a derived class. */
enum reach_flag {
	FLAG_HEAP = 1u << 9,
	FLAG_LIST = 1u << 25,
	FLAG_TUPLE = 1u << 26,
	FLAG_TEXT = 1u << 28,
	FLAG_DICT = 1u << 29,
	FLAG_EXCEPTION = 1u << 30,
	FLAG_TYPE = 1u << 31,
};
bool reach_type_has(const struct cpython *py, uint64_t type, enum reach_flag flag);
/* A class and those that it is derived from, in order; 0: there are no more. */
uint64_t reach_class(const struct cpython *py, uint64_t type, unsigned number);
bool reach_is_class(const struct cpython *py, uint64_t object);

enum reach_kind {
	REACH_NONE,
	REACH_ATTRIBUTE, /* `key` is its name */
	REACH_KEY, /* `key` is what it stands under */
	REACH_INDEX,
	REACH_CALL, /* `key` is the only argument; 0: none, or several */
	REACH_GET, /* a context variable */
};

struct reach {
	enum reach_kind kind;
	uint64_t key;
	unsigned index;
};

/* How `holder` has `object`; not as a module's name or a class's attribute. Slow. */
struct reach reach_step(const struct cpython *py, uint64_t holder, uint64_t object);

/* The values of up to `most` slots of an object; returns how many. */
unsigned reach_slots(const struct cpython *py, uint64_t holder, uint64_t *value, unsigned most);
/* The name of the attribute, in the object's dictionary or a slot, that is `object`; 0: there is none. */
uint64_t reach_attribute_key(const struct cpython *py, uint64_t holder, uint64_t object);

/* The name of the attribute, of a class that a statement made or of that of an instance, that is `object`; 0: there is none. */
uint64_t reach_class_key(const struct cpython *py, uint64_t holder, uint64_t object);

/* Appends it as Python code: `.lock`, `['users']`, `[3]`, `('users')`, `.get()`. */
void reach_write(struct writer *w, const struct cpython *py, const struct reach *step);

/* Up to `most` objects to which there is such a step, 0 for none; returns how many. */
unsigned reach_all(const struct cpython *py, uint64_t holder, uint64_t *object, unsigned most);
