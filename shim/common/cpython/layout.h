/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The byte offsets in CPython's structures that a stack trace needs, per minor version, for 64-bit
 * builds (x86-64 and aarch64 agree). Private to cpython.c. A minor version does not change these
 * structures after its first release.
 */
#pragma once

#include "cpython.h"

#define ROW(field, v8, v9, v10, v11, v12, v13, v14, v15)                                   \
	[0].field = v8, [1].field = v9, [2].field = v10, [3].field = v11, [4].field = v12, \
	[5].field = v13, [6].field = v14, [7].field = v15,
/* As tools/dev/python-layout prints them; 0: there is none. */
static const struct cpython_layout cpython_layouts[] = {
	/* clang-format off */
ROW(minor,                   8,    9,   10,   11,   12,   13,   14,   15)
ROW(runtime_interpreters,   32,   32,   32,   40,   40,  632,  808,  936)
ROW(runtime_current,      1368,  568,  568,  576,    0,    0,    0,    0)
ROW(interp_next,             0,    0,    0,    0,    0, 7264, 7272, 7264)
ROW(interp_threads,          8,    8,    8,   16,   72, 7344, 7344, 7336)
ROW(interp_modules,         56,  856,  856,  888,  944, 7656, 7688, 7592)
ROW(interp_gil,              0,    0,    0,    0,  384,   16,   16,   16)
ROW(gil_locked,              0,    0,    0,    0,   16,   16,   16,   16)
ROW(gil_holder,              0,    0,    0,    0,    8,    8,    8,    8)
ROW(state_prev,              0,    0,    0,    0,    0,    0,    0,    0)
ROW(state_next,              8,    8,    8,    8,    8,    8,    8,    8)
ROW(state_interp,           16,   16,   16,   16,   16,   16,   16,   16)
ROW(state_thread_id,       176,  176,  176,  152,  136,  152,  152,  176)
ROW(state_exc_info,        144,  144,  144,  120,  104,  120,  120,  144)
ROW(state_frame,            24,   24,   24,   56,   56,   72,   72,   72)
ROW(cframe,                  0,    0,    0,    1,    1,    0,    0,    0)
ROW(cframe_frame,            0,    0,    0,    8,    0,    0,    0,    0)
ROW(frame_previous,         24,   24,   24,   48,    8,    8,    8,    8)
ROW(frame_code,             32,   32,   32,   32,    0,    0,    0,    0)
ROW(frame_instr,           104,  104,   96,   56,   56,   56,   56,   56)
ROW(frame_owner,             0,    0,    0,   69,   70,   70,   74,   74)
ROW(frame_locals,          360,  360,  352,   72,   72,   72,   80,   80)
ROW(frame_stack,            64,   64,   64,    0,    0,    0,    0,    0)
ROW(frame_block_count,     112,  112,  104,    0,    0,    0,    0,    0)
ROW(frame_blocks,          120,  120,  112,    0,    0,    0,    0,    0)
ROW(code_filename,         104,  104,  104,  112,  112,  112,  112,  112)
ROW(code_firstlineno,       40,   40,   40,   72,   68,   68,   68,   68)
ROW(code_lines,            120,  120,  120,  136,  136,  136,  136,  136)
ROW(code_name,             112,  112,  112,  128,  128,  128,  128,  128)
ROW(code_firsttraceable,     0,    0,    0,  168,  176,  184,  192,  192)
ROW(code_units,              0,    0,    0,  184,  192,  200,  208,  208)
ROW(code_handlers,           0,    0,    0,   40,   40,   40,   40,   40)
ROW(code_locals,             0,    0,    0,   76,   72,   72,   72,   72)
ROW(code_variables,         72,   72,   72,   96,   96,   96,   96,   96)
ROW(frame_globals,          48,   48,   48,    8,   24,   24,   24,   24)
ROW(code_bytecode,          48,   48,   48,    0,    0,    0,    0,    0)
ROW(tuple_items,            24,   24,   24,   24,   24,   24,   32,   32)
ROW(type_flags,            168,  168,  168,  168,  168,  168,  168,  168)
ROW(type_dictoffset,       288,  288,  288,  288,  288,  288,  288,  288)
ROW(type_cached_keys,      872,  864,  872,  872,  880,  880,  880,  888)
ROW(dict_keys,              32,   32,   32,   32,   32,   32,   32,   32)
ROW(dict_values,            40,   40,   40,   40,   40,   40,   40,   40)
ROW(values_items,            0,    0,    0,    0,    0,    8,    8,    8)
ROW(bytes_size,             16,   16,   16,   16,   16,   16,   16,   16)
ROW(bytes_items,            32,   32,   32,   32,   32,   32,   32,   32)
ROW(str_length,             16,   16,   16,   16,   16,   16,   16,   16)
ROW(str_state,              32,   32,   32,   32,   32,   32,   32,   32)
ROW(str_ascii,              48,   48,   48,   48,   40,   40,   40,   40)
ROW(str_compact,            72,   72,   72,   72,   56,   56,   56,   56)
	/* clang-format on */
};
#undef ROW

/*
 * _Py_DebugOffsets, at the start of _PyRuntime from 3.13 on: CPython's own table of these offsets,
 * 64 bits each, meant for debuggers. It is preferred to the rows above, which provide what it
 * lacks. For each field: its index in _Py_DebugOffsets per version (pycore_runtime.h,
 * pycore_debug_offsets.h).
 */
#define CPYTHON_DEBUG_COOKIE "xdebugpy"
#define CPYTHON_DEBUG_MINOR 13 /* the first */
#define CPYTHON_DEBUG_VERSION 1 /* the word that is Py_Version */
#define CPYTHON_DEBUG_WORDS 81
#define CPYTHON_DEBUG_NONE 0 /* this version lacks the word */

struct cpython_debug_word {
	uint16_t field, bytes; /* of struct cpython_layout */
	uint8_t word[3]; /* 3.13, 3.14, 3.15 */
	uint8_t less[3]; /* subtracted, if the offset is not from the structure's start */
};

#define WORD(name, ...) WORD_LESS(name, __VA_ARGS__, 0, 0, 0)
#define WORD_LESS(name, ...) WORD_OF(name, __VA_ARGS__)
#define WORD_OF(name, w13, w14, w15, l13, l14, l15)                                                \
	{                                                                                          \
		offsetof(struct cpython_layout, name), sizeof(((struct cpython_layout *)0)->name), \
			{w13, w14, w15},                                                           \
		{                                                                                  \
			l13, l14, l15                                                              \
		}                                                                                  \
	}

static const struct cpython_debug_word cpython_debug_words[] = {
	WORD(runtime_interpreters, 5, 5, 5),
	WORD(interp_id, 7, 7, 7),
	WORD(interp_next, 8, 8, 8),
	WORD(interp_threads, 9, 9, 9),
	WORD(interp_modules, 11, 12, 12),
	WORD(interp_gil, 14, 15, 15),
	WORD_LESS(gil_locked, 17, 18, 18, 15, 16,
		  16), /* from the interpreter that the GIL is part of */
	WORD_LESS(gil_holder, 18, 19, 19, 15, 16, 16),
	WORD(state_prev, 20, 23, 23),
	WORD(state_next, 21, 24, 24),
	WORD(state_interp, 22, 25, 25),
	WORD(state_frame, 23, 26, 26),
	WORD(state_thread_id, 24, 27, 30),
	WORD(frame_previous, 29, 32, 40),
	WORD(frame_code, 30, 33, 41),
	WORD(frame_instr, 31, 34, 42),
	WORD(frame_locals, 32, 35, 43),
	WORD(frame_owner, 33, 36, 44),
	WORD(frame_bytecode, CPYTHON_DEBUG_NONE, 38, 46),
	WORD(code_filename, 35, 40, 48),
	WORD(code_name, 37, 42, 50), /* qualname */
	WORD(code_lines, 38, 43, 51),
	WORD(code_firstlineno, 39, 44, 52),
	WORD(code_variables, 41, 46, 54),
	WORD(code_units, 43, 48, 56),
	WORD(code_bytecodes, CPYTHON_DEBUG_NONE, 49, 57),
	WORD(object_type, 45, 51, 59),
	WORD(str_state, 68, 78, 90),
	WORD(str_length, 69, 79, 91),
	WORD(str_ascii, 70, 80, 92),
};

/* The words that are the sizes of whole structures, per version. */
struct cpython_debug_sizes {
	uint8_t state, frame, object, text;
};

static const struct cpython_debug_sizes cpython_debug_sizes[] = {
	{19, 28, 44, 67},
	{22, 31, 50, 77},
	{22, 39, 58, 89},
};

#undef WORD
#undef WORD_LESS
#undef WORD_OF
