/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program may look for objects to which it has no reference: with the module gc. */
#include "pyowned.h"

#define CODE_NAMES 32 /* PyCodeObject.co_names, from 3.11 on */
#define NAMES_MAX 256u

/* Whether code names the module, which it then may import later. */
static bool names_gc(const struct cpython *py, uint64_t code)
{
	uint64_t names = cpython_peek_word(py, code + CODE_NAMES);
	uint64_t count = cpython_peek_word(py, names + CPYTHON_SIZE);

	for (uint64_t i = 0; i < count && i < NAMES_MAX; i++)
		if (cpython_string_is(py, cpython_peek_word(py, names + py->at.tuple_items + 8 * i),
				      "gc"))
			return true;
	return !names || count > NAMES_MAX;
}

static bool is_imported(const struct cpython *py, uint64_t interp)
{
	return cpython_dict_search(py, cpython_peek_word(py, interp + py->at.interp_modules), "gc");
}

static bool runs_gc(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (names_gc(py, frame.code))
			return true;
	return false;
}

bool pyowned_may_list(const struct cpython *py, const uint64_t *at, unsigned states)
{
	struct state state;
	uint64_t interp = 0;

	for (unsigned i = 0; i < states; i++) {
		if (!state_read(py, &state, at[i]) || (interp && state.interp != interp) ||
		    (!interp && is_imported(py, state.interp)) || runs_gc(py, state.frame))
			return true;
		interp = state.interp;
	}
	return false;
}
