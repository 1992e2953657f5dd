/*
 * Reading CPython's objects as memory: what python_find.c learned of this CPython, and readers of
 * strings, line tables and instance dictionaries. Private to the python*.c files. An address in
 * Python's memory is a uint64_t here, so that nobody dereferences one. Nothing here allocates,
 * locks or calls Python.
 */
#ifndef MPSAN_PYTHON_OBJECT_H
#define MPSAN_PYTHON_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PYTHON_OB_TYPE 8 /* PyObject.ob_type; builds with another header are refused */

/* An offset that a version does not have is 0 where 0 is not a possible place, see each use. */
struct python_layout {
	uint16_t minor; /* of version 3 */
	/* PyThreadState */
	uint16_t state_prev, state_next, state_interp, state_thread_id;
	uint16_t state_frame; /* the innermost frame, or a _PyCFrame that points to it */
	bool cframe;
	uint16_t cframe_frame;
	/* PyFrameObject up to 3.10, _PyInterpreterFrame from 3.11 */
	uint16_t frame_previous, frame_code, frame_instr, frame_owner, frame_locals;
	/* PyCodeObject; the name is co_qualname if there is one; code_units: 3.11+ */
	uint16_t code_filename, code_name, code_lines, code_firstlineno, code_firsttraceable,
		code_units;
	/* PyHeapTypeObject, PyDictObject, the values of a split dict (behind a head in 3.13) */
	uint16_t type_flags, type_dictoffset, type_cached_keys;
	uint16_t dict_keys, dict_values, values_items;
	/* PyBytesObject; PyASCIIObject, PyCompactUnicodeObject (text begins behind them) */
	uint16_t bytes_size, bytes_items;
	uint16_t str_length, str_state, str_ascii, str_compact;
};

/* This CPython: constant once python_present() is true. No frames unless `limit` is NULL. */
struct python {
	int (*is_initialized)(void);
	int (*is_finalizing)(void);
	void *(*this_state)(void); /* of the calling thread; a pthread key, needs no GIL */
	void *(*current_state)(void); /* of whoever holds the GIL: of this thread, from 3.12 on */
	uint64_t code_type, unicode_type, bytes_type;
	const char *limit;
	uint32_t version;
	struct python_layout at;
	uint16_t state_bytes, frame_bytes, code_bytes; /* to read of each */
};
extern struct python python;

#define PYTHON_STATE_BYTES 192
#define PYTHON_FRAME_BYTES 128
#define PYTHON_CODE_BYTES 208
#define PYTHON_CHUNK 512 /* one peek of text or tables; a peek costs 0.3 to 1.3 us at any size */

/* All of it or nothing; address 0 is nothing. */
bool python_peek(void *to, uint64_t from, size_t bytes);
/* 0 when it cannot be read. */
uint64_t python_peek_word(uint64_t from);

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

/* Text under construction; it is full when `at` reaches `end`, where the NUL will stand. */
struct writer {
	char *start, *at, *end;
};
void writer_byte(struct writer *w, unsigned byte);
void writer_decimal(struct writer *w, unsigned value);
/* A str as UTF-8; what is no str, or not to be read, is '?'. */
void writer_string(struct writer *w, uint64_t object);

/* Whether a str ends with, or is, ASCII text. */
bool python_string_ends(uint64_t object, const char *with);
bool python_string_is(uint64_t object, const char *text);

/* The line of the instruction at byte offset `wanted`, by a code object's line table; 0: none. */
unsigned python_line(uint64_t table, unsigned first_line, long wanted);

/* The value of an instance attribute that stands in the instance's own dictionary, or 0. */
uint64_t python_attribute(uint64_t object, const char *name);

#endif
