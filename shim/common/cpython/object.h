/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPython's objects as memory: strings, dictionaries, attributes. See cpython.h about
 * `peek`.
 */
#pragma once

#include <string.h>

#include "cpython.h"

/* Reads all bytes, or returns false; address 0 is not readable. */
bool cpython_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes);
/* Reads one word; 0: not readable. */
uint64_t cpython_peek_word(const struct cpython *py, uint64_t from);

/* Offsets of members stand for a head of this size; free-threaded builds have a larger one. */
#define CPYTHON_HEAD 16u
#define CPYTHON_HEAD_MAX 32u

/* The address of an object's member, and the word there; the object's type. 0: not readable. */
static inline uint64_t cpython_at(const struct cpython *py, uint64_t object, unsigned offset)
{
	return object + offset + py->at.object_type + 8 - CPYTHON_HEAD;
}

static inline uint64_t cpython_member(const struct cpython *py, uint64_t object, unsigned offset)
{
	return cpython_peek_word(py, cpython_at(py, object, offset));
}

static inline uint64_t cpython_type(const struct cpython *py, uint64_t object)
{
	return cpython_peek_word(py, object + py->at.object_type);
}

static inline uint64_t word_at(const void *bytes, unsigned offset)
{
	uint64_t word;

	memcpy(&word, (const char *)bytes + offset, sizeof(word));
	return word;
}

static inline int32_t int_at(const void *bytes, unsigned offset)
{
	int32_t value;

	memcpy(&value, (const char *)bytes + offset, sizeof(value));
	return value;
}

/* Text being written; it is full when `at` reaches `end`, where the NUL goes. */
struct writer {
	char *start, *at, *end;
};
struct writer writer_open(char *text, size_t bytes);
/* Ends the text; returns its length. */
size_t writer_close(struct writer *w, size_t bytes);
void writer_byte(struct writer *w, unsigned byte);
void writer_chars(struct writer *w, const char *text);
void writer_decimal(struct writer *w, unsigned value);
/* Appends a str as UTF-8; '?' if it is none, or not readable. */
void writer_string(struct writer *w, const struct cpython *py, uint64_t object);
/* Its first line that is not blank, and the next one if a colon ends it; nothing if it is no str, or not readable. */
void writer_first_line(struct writer *w, const struct cpython *py, uint64_t object);

/* Reads a C string, of which what lies behind it may not be readable; returns its length. */
size_t cpython_c_text(const struct cpython *py, uint64_t from, char *text, size_t bytes);

/* Whether a str ends with, or is, ASCII text. */
bool cpython_string_ends(const struct cpython *py, uint64_t object, const char *with);
bool cpython_string_is(const struct cpython *py, uint64_t object, const char *text);

/* The value of an attribute in the instance's own dictionary, or 0. */
uint64_t cpython_attribute(const struct cpython *py, uint64_t object, const char *name);

/* The name of the instance's attribute that is this object, a str; 0: none. */
uint64_t cpython_attribute_key(const struct cpython *py, uint64_t object, uint64_t value);
/* The first key of a dictionary under which this object stands; 0: none. Slow. */
uint64_t cpython_dict_key(const struct cpython *py, uint64_t dict, uint64_t value);

/* The value of a str key among the first 128 entries of a dictionary, or 0. */
uint64_t cpython_dict_find(const struct cpython *py, uint64_t dict, const char *name);
/*
 * As cpython_dict_find, in a dictionary of thousands, such as a module's names or all modules.
 * Slow.
 */
uint64_t cpython_dict_search(const struct cpython *py, uint64_t dict, const char *name);

/* Up to `most` items of a list; returns how many. */
unsigned cpython_list_items(const struct cpython *py, uint64_t list, uint64_t *item, unsigned most);

/* Up to `most` values of a dictionary that belongs to no instance; returns how many. */
unsigned cpython_dict_values(const struct cpython *py, uint64_t dict, uint64_t *value,
			     unsigned most);

/* Up to `most` values of an instance's attributes, 0 for one that is not set; returns how many. */
unsigned cpython_attribute_values(const struct cpython *py, uint64_t object, uint64_t *value,
				  unsigned most);

/* Whether an object's type, not one that it is derived from, has that name (tp_name). */
bool cpython_is_a(const struct cpython *py, uint64_t object, const char *name);

/* Whether a PyMethodDef of C has that name. */
bool cpython_method_is(const struct cpython *py, uint64_t method, const char *name);

/* Offsets behind the object's head, the same in all versions. */
#define CPYTHON_SIZE 16 /* PyVarObject.ob_size, of tuples and lists */
#define CPYTHON_LIST_ITEMS 24 /* PyListObject.ob_item */
/*
 * PyLongObject: the first digit, of 30 bits. Its size is signed; from 3.12 on the number of digits is
 * shifted by three bits, of which the lower two are the sign.
 */
#define CPYTHON_INT_VALUE 24
#define CPYTHON_TYPE_NAME 24 /* PyTypeObject.tp_name */
#define CPYTHON_DICT_USED 16 /* PyDictObject.ma_used */
#define CPYTHON_METHOD 16 /* PyCFunctionObject.m_ml */
#define CPYTHON_MODULE_DICT 16 /* PyModuleObject.md_dict */
