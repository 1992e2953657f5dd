/*
 * Where CPython keeps what a stack trace needs: byte offsets per minor version, for 64-bit builds
 * (x86-64 and aarch64 agree). Private to python_find.c. The rows are printed by
 * tools/dev/python-layout from CPython's own headers; a minor version does not change these
 * structures after its first release.
 */
#ifndef MPSAN_PYTHON_LAYOUT_H
#define MPSAN_PYTHON_LAYOUT_H

#include "python_object.h"

static const struct python_layout python_layouts[] = {
	{
		.minor = 8,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 176,
		.state_frame = 24,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instr = 104,
		.frame_locals = 360,
		.code_filename = 104,
		.code_firstlineno = 40,
		.code_lines = 120,
		.code_name = 112,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 872,
		.dict_keys = 32,
		.dict_values = 40,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
	},
	{
		.minor = 9,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 176,
		.state_frame = 24,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instr = 104,
		.frame_locals = 360,
		.code_filename = 104,
		.code_firstlineno = 40,
		.code_lines = 120,
		.code_name = 112,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 864,
		.dict_keys = 32,
		.dict_values = 40,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
	},
	{
		.minor = 10,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 176,
		.state_frame = 24,
		.frame_previous = 24,
		.frame_code = 32,
		.frame_instr = 96,
		.frame_locals = 352,
		.code_filename = 104,
		.code_firstlineno = 40,
		.code_lines = 120,
		.code_name = 112,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 872,
		.dict_keys = 32,
		.dict_values = 40,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
	},
	{
		.minor = 11,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 152,
		.state_frame = 56,
		.cframe = true,
		.cframe_frame = 8,
		.frame_previous = 48,
		.frame_code = 32,
		.frame_instr = 56,
		.frame_owner = 69,
		.frame_locals = 72,
		.code_filename = 112,
		.code_firstlineno = 72,
		.code_lines = 136,
		.code_name = 128,
		.code_firsttraceable = 168,
		.code_units = 184,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 872,
		.dict_keys = 32,
		.dict_values = 40,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
	},
	{
		.minor = 12,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 136,
		.state_frame = 56,
		.cframe = true,
		.cframe_frame = 0,
		.frame_previous = 8,
		.frame_code = 0,
		.frame_instr = 56,
		.frame_owner = 70,
		.frame_locals = 72,
		.code_filename = 112,
		.code_firstlineno = 68,
		.code_lines = 136,
		.code_name = 128,
		.code_firsttraceable = 176,
		.code_units = 192,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 880,
		.dict_keys = 32,
		.dict_values = 40,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 40,
		.str_compact = 56,
	},
	{
		.minor = 13,
		.state_prev = 0,
		.state_next = 8,
		.state_interp = 16,
		.state_thread_id = 152,
		.state_frame = 72,
		.frame_previous = 8,
		.frame_code = 0,
		.frame_instr = 56,
		.frame_owner = 70,
		.frame_locals = 72,
		.code_filename = 112,
		.code_firstlineno = 68,
		.code_lines = 136,
		.code_name = 128,
		.code_firsttraceable = 184,
		.code_units = 200,
		.type_flags = 168,
		.type_dictoffset = 288,
		.type_cached_keys = 880,
		.dict_keys = 32,
		.dict_values = 40,
		.values_items = 8,
		.bytes_size = 16,
		.bytes_items = 32,
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 40,
		.str_compact = 56,
	},
};

/*
 * The head of _PyRuntime in 3.13: CPython's own table of these offsets, meant for debuggers. It is
 * preferred to the row above, which fills what it lacks. 3.14 arranges it differently (and tags
 * frame pointers).
 */
#define PYTHON_DEBUG_COOKIE "xdebugpy"
#define PYTHON_DEBUG_MINOR 13

struct python_debug_offsets {
	char cookie[8];
	uint64_t version;
	uint64_t free_threaded;
	uint64_t runtime[3];
	uint64_t interpreter[13];
	struct {
		uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id;
		uint64_t datastack_chunk, status;
	} state;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner;
	} frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno, argcount;
		uint64_t localsplusnames, localspluskinds, co_code_adaptive;
	} code;
	uint64_t object[2];
	struct {
		uint64_t size, tp_name, tp_repr, tp_flags;
	} type;
	uint64_t tuple[3], list[3];
	struct {
		uint64_t size, ma_keys, ma_values;
	} dict;
	uint64_t number[5]; /* float, int */
	struct {
		uint64_t size, ob_size, ob_sval;
	} bytes;
	struct {
		uint64_t size, state, length, asciiobject_size;
	} str;
};

#endif
