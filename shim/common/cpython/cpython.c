/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies the version and layout of a CPython, and finds its threads. layout.h has the offsets
 * of each version; frame.c reads the frames of a thread.
 */
#include "cpython.h"

#include "frame.h"
#include "layout.h"

#define INTERPRETERS_MAX 64
#define THREADS_MAX 4096 /* of all interpreters */
#define FIRST_WIDE_INTERNED 14 /* free-threaded */

/* ---- which one ---- */

uint32_t cpython_version(const char *text)
{
	uint32_t part[3] = {0};

	for (unsigned i = 0; i < 3; i++, text += *text == '.')
		for (; *text >= '0' && *text <= '9'; text++)
			part[i] = part[i] * 10 + (uint32_t)(*text - '0');
	return part[0] << 24 | part[1] << 16 | part[2] << 8 | 0xf0;
}

/*
 * One word of _Py_DebugOffsets: the whole table is too large for the stacks that hooks run on, and
 * each word is read once.
 */
static uint64_t table_word(const struct cpython *py, unsigned index)
{
	return cpython_peek_word(py, py->runtime + index * sizeof(uint64_t));
}

static void take_words(struct cpython *py)
{
	struct cpython_layout *at = &py->at;
	unsigned column = at->minor - CPYTHON_DEBUG_MINOR;

	for (size_t i = 0; i < sizeof(cpython_debug_words) / sizeof(cpython_debug_words[0]); i++) {
		const struct cpython_debug_word *word = &cpython_debug_words[i];
		uint64_t value = word->word[column] ? table_word(py, word->word[column]) : 0;

		if (word->less[column])
			value -= table_word(py, word->less[column]);
		memcpy((char *)at + word->field, &value, word->bytes); /* little-endian */
	}
	/* "int _co_firsttraceable; void *co_extra" stand before the instructions, or their copies. */
	at->code_firsttraceable = (uint16_t)((at->code_bytecodes ?: at->code_units) - 16);
	at->str_compact = (uint16_t)(at->str_ascii + 16);
}

/* What the table lacks, in objects with a larger head. */
static void move_members(struct cpython_layout *at)
{
	uint16_t more = (uint16_t)(at->object_type + 8 - CPYTHON_HEAD);
	uint16_t *member[] = {&at->code_handlers, &at->code_locals,	&at->tuple_items,
			      &at->type_flags,	  &at->type_dictoffset, &at->type_cached_keys,
			      &at->dict_keys,	  &at->dict_values,	&at->bytes_size,
			      &at->bytes_items};

	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++)
		*member[i] = (uint16_t)(*member[i] + more);
	if (more && at->minor >= FIRST_WIDE_INTERNED)
		at->str_interned = 8;
}

/* Whether the table is this Python's, and gives the same sizes as its types if read as that of at->minor. */
static bool table_fits(const struct cpython *py)
{
	const struct cpython_layout *at = &py->at;
	const struct cpython_debug_sizes *size =
		&cpython_debug_sizes[at->minor - CPYTHON_DEBUG_MINOR];
	unsigned basic_size = at->object_type + 24u; /* behind tp_name */

	return (uint32_t)table_word(py, CPYTHON_DEBUG_VERSION) >> 16 == py->version >> 16 &&
	       table_word(py, size->object) == at->object_type + 8u &&
	       at->state_frame < table_word(py, size->state) &&
	       at->state_thread_id < table_word(py, size->state) &&
	       at->frame_owner < table_word(py, size->frame) &&
	       cpython_peek_word(py, py->code_type + basic_size) == at->code_units &&
	       cpython_peek_word(py, py->unicode_type + basic_size) == table_word(py, size->text);
}

/* CPython's own table of offsets is preferred; what it lacks comes from the row. */
static bool take_table(struct cpython *py, const struct cpython_layout *row)
{
	py->at = *row;
	py->at.object_type = CPYTHON_HEAD - 8;
	py->at.str_interned = 2;
	if (row->minor < CPYTHON_DEBUG_MINOR)
		return true;
	take_words(py);
	move_members(&py->at);
	return table_fits(py);
}

static bool has_table(const struct cpython *py)
{
	uint64_t first, last, end = py->runtime + CPYTHON_DEBUG_WORDS * sizeof(last);

	return cpython_peek(py, &first, py->runtime, sizeof(first)) &&
	       cpython_peek(py, &last, end - sizeof(last), sizeof(last)) &&
	       !memcmp(&first, CPYTHON_DEBUG_COOKIE, sizeof(first));
}

/*
 * A version's own row. A newer version, or one whose table is not as in its release, is read as the newest one
 * whose table it has. NULL, or why this build is not supported.
 */
static const char *find_layout(struct cpython *py)
{
	unsigned count = sizeof(cpython_layouts) / sizeof(cpython_layouts[0]);
	uint32_t minor = py->version >> 16 & 0xff;

	if (py->version >> 24 != 3 || minor < cpython_layouts[0].minor)
		return "this version of Python is not known";
	if (minor >= CPYTHON_DEBUG_MINOR && !has_table(py))
		return "CPython's table of offsets is missing";
	for (unsigned i = 0; i < count; i++)
		if (cpython_layouts[i].minor == minor && take_table(py, &cpython_layouts[i]))
			return NULL;
	for (unsigned i = count; i-- > 0 && cpython_layouts[i].minor >= CPYTHON_DEBUG_MINOR;)
		if (take_table(py, &cpython_layouts[i]))
			return NULL;
	return "this version of Python is not known";
}

static unsigned highest(const unsigned *end, unsigned count)
{
	unsigned max = 0;

	for (unsigned i = 0; i < count; i++)
		max = end[i] > max ? end[i] : max;
	return max;
}

#define HIGHEST(...)                             \
	highest((const unsigned[]){__VA_ARGS__}, \
		sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

/* Computes how many bytes of each structure to read; false: more than the buffers hold. */
static bool find_sizes(struct cpython *py)
{
	const struct cpython_layout *at = &py->at;
	unsigned state = 8 + HIGHEST(at->state_prev, at->state_next, at->state_interp,
				     at->state_thread_id, at->state_frame);
	unsigned frame = HIGHEST(at->frame_previous + 8, at->frame_code + 8, at->frame_owner + 1,
				 at->frame_bytecode + 4,
				 at->frame_instr + (at->minor < 11 ? 4 : 8));
	unsigned code = HIGHEST(at->code_filename + 8, at->code_name + 8, at->code_lines + 8,
				at->code_firstlineno + 4, at->code_firsttraceable + 4);

	py->state_bytes = (uint16_t)state;
	py->frame_bytes = (uint16_t)frame;
	py->code_bytes = (uint16_t)code;
	return at->object_type + 8u <= CPYTHON_HEAD_MAX && state <= CPYTHON_STATE_BYTES &&
	       frame <= CPYTHON_FRAME_BYTES && code <= CPYTHON_CODE_BYTES &&
	       at->str_length + 8 <= at->str_ascii && at->str_state + 4 <= at->str_ascii &&
	       at->str_ascii + 16u <= CPYTHON_CHUNK;
}

/* Checks that this build's memory matches its layout; NULL, or why not. */
static const char *check_build(const struct cpython *py)
{
	uint64_t type;

	if (!cpython_peek(py, &type, py->code_type + py->at.object_type, sizeof(type)))
		return "process_vm_readv is not allowed";
	return type == py->type_type ? NULL : "CPython was built with traced references";
}

const char *cpython_describe(struct cpython *py)
{
	const char *limit;

	if (!py->code_type || !py->unicode_type || !py->bytes_type || !py->type_type ||
	    !py->runtime)
		return "this CPython does not export what is needed";
	limit = find_layout(py);
	if (limit)
		return limit;
	return find_sizes(py) ? check_build(py) : "CPython's structures are not as expected";
}

/* ---- threads ---- */

static uint64_t first_interpreter(const struct cpython *py)
{
	return cpython_peek_word(py, py->runtime + py->at.runtime_interpreters);
}

/*
 * Finds a thread's PyThreadState in one interpreter; a thread has one for each interpreter that it
 * has been in.
 */
static uint64_t find_state(const struct cpython *py, uint64_t interp, uint64_t pthread,
			   cpython_state_seen *see, unsigned *left, uint64_t *idle)
{
	uint64_t found = 0;

	uint64_t at = cpython_peek_word(py, interp + py->at.interp_threads);
	struct state state;

	for (; at && *left && state_read(py, &state, at) && state.interp == interp;
	     at = state.next, --*left) {
		if (see)
			see(&state, at);
		if (found || (pthread && state.thread_id != pthread))
			continue;
		*(state.frame ? &found : idle) = at;
		if (found && !see)
			break;
	}
	return found;
}

uint64_t cpython_find_thread(const struct cpython *py, uint64_t pthread, cpython_state_seen *see)
{
	uint64_t interp = first_interpreter(py), found = 0, idle = 0;
	unsigned left = THREADS_MAX;

	for (unsigned i = 0; interp && !found && i < INTERPRETERS_MAX; i++) {
		found = find_state(py, interp, pthread, see, &left, &idle);
		interp = cpython_peek_word(py, interp + py->at.interp_next);
	}
	return found ? found : idle;
}

bool cpython_is_thread(const struct cpython *py, uint64_t at, uint64_t pthread, struct state *state)
{
	if (!at || !state_read(py, state, at) || state->thread_id != pthread)
		return false;
	/* Freed memory may keep its contents, but no other state links to it any more. */
	return cpython_peek_word(py, state->prev ? state->prev + py->at.state_next :
						   state->interp + py->at.interp_threads) == at;
}

/* The main interpreter: the last of the list, since new ones are inserted at the front. */
static uint64_t main_interpreter(const struct cpython *py)
{
	uint64_t interp = first_interpreter(py), next;

	for (unsigned i = 0; interp && i < INTERPRETERS_MAX; i++, interp = next) {
		next = cpython_peek_word(py, interp + py->at.interp_next);
		if (!next)
			break;
	}
	return interp;
}

bool cpython_has_threads(const struct cpython *py)
{
	uint64_t interp = main_interpreter(py);
	uint64_t at = interp ? cpython_peek_word(py, interp + py->at.interp_threads) : 0;
	struct state state;

	return at && state_read(py, &state, at);
}

uint64_t cpython_only_thread(const struct cpython *py)
{
	uint64_t interp = main_interpreter(py);
	uint64_t at = interp ? cpython_peek_word(py, interp + py->at.interp_threads) : 0;
	struct state state;

	if (!at || !state_read(py, &state, at) || state.next)
		return 0;
	return state.thread_id;
}

uint64_t cpython_interpreter(const struct cpython *py, uint64_t interp)
{
	return py->at.interp_id ? cpython_peek_word(py, interp + py->at.interp_id) : 0;
}

/*
 * Up to 3.11 the current state is that of the GIL's holder; from 3.12 on the GIL stores its last
 * holder and whether it is locked.
 */
uint64_t cpython_gil_holder(const struct cpython *py)
{
	uint64_t interp, gil, holder;
	struct state state;
	int32_t locked;

	if (py->at.runtime_current) {
		holder = cpython_peek_word(py, py->runtime + py->at.runtime_current);
	} else {
		interp = main_interpreter(py);
		gil = interp ? cpython_peek_word(py, interp + py->at.interp_gil) : 0;
		if (!cpython_peek(py, &locked, gil ? gil + py->at.gil_locked : 0, sizeof(locked)) ||
		    locked != 1)
			return 0;
		holder = cpython_peek_word(py, gil + py->at.gil_holder);
	}
	return holder && state_read(py, &state, holder) ? state.thread_id : 0;
}
