/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CPython, in this process or in another: how its memory is read, its version and that
 * version's layout. The files of this directory read CPython's structures through the `peek`
 * function given here and depend on no process, clock or library. They are linked into the library,
 * which reads its own process, and into the command, which reads others. They never allocate, lock
 * or call Python. Memory may change or vanish at any time, which makes answers wrong but never
 * loops endless. An address in Python's memory is a uint64_t, so that it is not dereferenced by
 * mistake.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets. 0 means that the version does not have the field, where 0 is not a possible offset. */
struct cpython_layout {
	uint16_t minor; /* of version 3 */
	uint16_t object_type; /* PyObject.ob_type, the last word of its head */
	/* _PyRuntimeState, PyInterpreterState, the GIL's own structure (3.12 on) */
	uint32_t runtime_interpreters, runtime_current;
	uint32_t interp_next, interp_threads, interp_modules, interp_gil;
	uint32_t interp_id; /* 3.13 on */
	uint16_t gil_locked, gil_holder;
	/* PyThreadState */
	uint16_t state_prev, state_next, state_interp, state_thread_id;
	uint16_t state_frame; /* the innermost frame, or a _PyCFrame that points to it */
	uint16_t state_exc_info; /* to a _PyErr_StackItem; 0: not known */
	bool cframe;
	uint16_t cframe_frame;
	/* PyFrameObject up to 3.10, _PyInterpreterFrame from 3.11 */
	uint16_t frame_previous, frame_code, frame_instr, frame_owner, frame_locals;
	uint16_t frame_bytecode; /* free-threaded, 3.14 on: which of code_bytecodes it runs */
	/* up to 3.10: its value stack, and the blocks (try, with) that it is in */
	uint16_t frame_stack, frame_block_count, frame_blocks;
	/* PyCodeObject; the name is co_qualname if there is one; from code_firsttraceable on: 3.11+ */
	uint16_t code_filename, code_name, code_lines, code_firstlineno, code_firsttraceable,
		code_units, code_handlers, code_locals;
	uint16_t code_variables; /* a tuple of the names of local variables */
	uint16_t frame_globals;
	uint16_t code_bytecode; /* up to 3.10 */
	uint16_t code_bytecodes; /* free-threaded, 3.14 on: to the copies of its threads */
	uint16_t tuple_items;
	/* PyHeapTypeObject, PyDictObject, the values of a split dict (behind a head from 3.13) */
	uint16_t type_flags, type_dictoffset, type_cached_keys;
	uint16_t dict_keys, dict_values, values_items;
	/* PyBytesObject; PyASCIIObject, PyCompactUnicodeObject (text begins behind them) */
	uint16_t bytes_size, bytes_items;
	uint16_t str_length, str_state, str_ascii, str_compact;
	uint16_t str_interned; /* bits of the state before the width of its characters */
};

struct cpython {
	/* Reads memory: bytes copied, perhaps fewer than requested, or a negative number. */
	long (*peek)(const struct cpython *py, void *to, uint64_t from, size_t bytes);
	int pid; /* for a `peek` of another process */
	/* Its symbols: filled in by the code that finds it. */
	uint32_t version; /* Py_Version: 0x030b02f0 is 3.11.2 */
	uint64_t runtime, type_type, code_type, unicode_type, bytes_type, none;
	/* cpython_describe fills the rest. */
	struct cpython_layout at;
	uint16_t state_bytes, frame_bytes, code_bytes; /* to read of each */
};

#define CPYTHON_STATE_BYTES 192
#define CPYTHON_FRAME_BYTES 128
#define CPYTHON_CODE_BYTES 224
#define CPYTHON_CHUNK 256 /* one peek of text or tables; a peek costs 0.3 to 1.3 us at any size */

/* Converts "3.9.18 (main, ..." to the form of Py_Version. */
uint32_t cpython_version(const char *text) __attribute__((nonnull));

/*
 * Determines the layout of a CPython whose symbols are known, reading its memory. NULL, or why its
 * frames cannot be read (constant text).
 */
const char *cpython_describe(struct cpython *py) __attribute__((nonnull));

/*
 * The PyThreadState of a thread in any interpreter, preferably one with frames; 0: none. `see` may be NULL, or
 * gets those of all threads of the interpreters that are searched.
 */
struct state;
typedef void cpython_state_seen(const struct state *state, uint64_t at);
uint64_t cpython_find_thread(const struct cpython *py, uint64_t pthread, cpython_state_seen *see)
	__attribute__((nonnull(1)));
/* Whether an earlier found PyThreadState still belongs to that thread; copies it. */
bool cpython_is_thread(const struct cpython *py, uint64_t at, uint64_t pthread, struct state *state)
	__attribute__((nonnull));
/* Whether the main interpreter's newest thread can be read. */
bool cpython_has_threads(const struct cpython *py) __attribute__((nonnull));
/* pthread_self() of the only thread of the main interpreter; 0: there are others. */
uint64_t cpython_only_thread(const struct cpython *py);

/* The number of an interpreter; 0: the main one, or unknown. */
uint64_t cpython_interpreter(const struct cpython *py, uint64_t interp);

/* pthread_self() of the thread that holds the main interpreter's GIL; 0: none, or unknown. */
uint64_t cpython_gil_holder(const struct cpython *py) __attribute__((nonnull));
