/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds gaps in threading._active, a dictionary in the order of the threads' start, and in
 * multiprocessing.process._children, a set.
 */
#include "pyended.h"

#include "../../shim/common/cpython/object.h"

#define ENTRIES_MAX 16384u
#define ENTRY_BYTES 24u /* hash, key, value: keys are no str */
#define SET_FILL 16 /* PySetObject: entries in use, and those that were removed */
#define SET_USED 24

static uint64_t global_of(const struct cpython *py, const struct state *state, const char *module,
			  const char *name)
{
	uint64_t modules = cpython_peek_word(py, state->interp + py->at.interp_modules),
		 found = cpython_dict_search(py, modules, module),
		 names = found ? cpython_member(py, found, CPYTHON_MODULE_DICT) : 0;

	return names ? cpython_dict_search(py, names, name) : 0;
}

/* Where the entries of a dictionary begin, and how many there are or were; 0: none, or other keys. */
static uint64_t entries_of(const struct cpython *py, uint64_t dict, uint64_t *count)
{
	uint64_t keys = dict ? cpython_peek_word(py, dict + py->at.dict_keys) : 0;
	unsigned char head[40];

	if (!cpython_peek(py, head, keys, sizeof(head)))
		return 0;
	if (py->at.minor < 11) { /* size, lookup, usable, entries; an index for each of the size */
		uint64_t size = word_at(head, 8);

		*count = word_at(head, 32);
		return keys + 40 + size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
	}
	*count = word_at(head, 24);
	return head[10] ? 0 : keys + 32 + (1ull << (head[9] & 31));
}

/* The hash of a small number is the number itself. */
bool pyended_thread(const struct cpython *py, const struct state *state, uint64_t pthread)
{
	uint64_t count = 0, entry[ENTRY_BYTES / 8], seen = 0,
		 at = entries_of(py, global_of(py, state, "threading", "_active"), &count);

	for (uint64_t i = 0; at && i < count && i < ENTRIES_MAX; i++) {
		if (!cpython_peek(py, entry, at + i * ENTRY_BYTES, ENTRY_BYTES))
			return false;
		if (seen && !entry[2])
			return true;
		seen |= entry[2] && entry[0] == pthread;
	}
	return false;
}

bool pyended_worker(const struct cpython *py, const struct state *state)
{
	uint64_t set = global_of(py, state, "multiprocessing.process", "_children");

	return set && cpython_is_a(py, set, "set") &&
	       cpython_member(py, set, SET_FILL) > cpython_member(py, set, SET_USED);
}
