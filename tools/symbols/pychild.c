/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the frames of Process.join: connection.wait below Popen.wait, or below Popen.poll. */
#include "pychild.h"

static bool is_inner(const struct cpython *py, const struct frame *frame)
{
	return frame_is(py, frame, "select", "selectors.py") ||
	       frame_is(py, frame, "wait", "connection.py");
}

uint32_t pychild_joined(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;
	uint64_t number;
	bool more;

	walk_open(&walk, py, top);
	while ((more = walk_on(&walk, &frame)) && is_inner(py, &frame))
		continue;
	if (!more || (!frame_is(py, &frame, "wait", "popen_fork.py") &&
		      !frame_is(py, &frame, "poll", "popen_forkserver.py")))
		return 0;
	number = cpython_attribute(py, frame_local(py, &frame, 0), "pid");
	return number ? (uint32_t)cpython_peek_word(py, number + CPYTHON_INT_VALUE) : 0;
}
