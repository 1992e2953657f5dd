/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks through the local variables of frames, and what these have as attributes or items, for a failed Future. The offsets
 * are from CPython's Modules/_asynciomodule.c.
 */
#include "pyfailed.h"

#define LOCALS 8u /* of a frame */
#define PARTS 16u /* of an object */
#define FUTURE_EXCEPTION 48

/* Where a Future of asyncio notes that nobody has asked for its exception, by minor version; 0: unknown. */
static const unsigned char unasked_at[] = {[8] = 76, 84, 92, 92, 92, 100};

static bool is_unasked(const struct cpython *py, uint64_t future)
{
	unsigned at = py->at.minor < sizeof(unasked_at) ? unasked_at[py->at.minor] : 0;
	uint8_t flag = 0;

	return at && cpython_peek(py, &flag, cpython_at(py, future, at), sizeof(flag)) && flag & 1;
}

bool pyfailed_is(const struct cpython *py, uint64_t object, struct cpython_exception *exception)
{
	uint64_t raised = 0;

	if (cpython_is_a(py, object, "_asyncio.Task") ||
	    cpython_is_a(py, object, "_asyncio.Future"))
		raised = is_unasked(py, object) ? cpython_member(py, object, FUTURE_EXCEPTION) : 0;
	else if (cpython_is_a(py, object, "Future"))
		raised = cpython_attribute(py, object, "_exception");
	return raised && cpython_exception_read(py, exception, raised);
}

static unsigned parts_of(const struct cpython *py, uint64_t object, uint64_t *part)
{
	return cpython_is_a(py, object, "list") ? cpython_list_items(py, object, part, PARTS) :
						  cpython_attribute_values(py, object, part, PARTS);
}

/* One of them is the variable, or in the list that it is, or that is its attribute. */
static bool any_failed(const struct cpython *py, uint64_t object, unsigned depth,
		       struct cpython_exception *exception)
{
	uint64_t part[PARTS];
	unsigned count;

	if (!object || pyfailed_is(py, object, exception))
		return object;
	count = depth ? parts_of(py, object, part) : 0;
	for (unsigned i = 0; i < count; i++)
		if (any_failed(py, part[i],
			       depth > 1 && cpython_is_a(py, part[i], "list") ? depth - 1 : 0,
			       exception))
			return true;
	return false;
}

bool pyfailed_find(const struct cpython *py, const struct frame *frame,
		   struct cpython_exception *exception)
{
	for (unsigned i = 0; i < LOCALS; i++)
		if (any_failed(py, frame_local(py, frame, i), 2, exception))
			return true;
	return false;
}
