/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the frames of Process.join: connection.wait below Popen.wait, or below Popen.poll. */
#include "pychild.h"

#include "../../shim/common/cpython/process.h"

#define FLOAT_VALUE 16
#define LIMIT_LOCAL 2 /* of Popen._wait(self, timeout): endtime */
#define LIMIT_MAX 1e9 /* seconds */

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
	return number ? (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE) : 0;
}

uint64_t pychild_limit(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;
	uint64_t limit;
	double seconds;

	walk_open(&walk, py, top);
	if (!walk_on(&walk, &frame) || !frame_is(py, &frame, "_wait", "subprocess.py"))
		return 0;
	limit = frame_local(py, &frame, LIMIT_LOCAL);
	return cpython_is_a(py, limit, "float") &&
			       cpython_peek(py, &seconds, cpython_at(py, limit, FLOAT_VALUE),
					    sizeof(seconds)) &&
			       seconds > 0 && seconds < LIMIT_MAX ?
		       (uint64_t)(seconds * 1e9) :
		       0;
}

size_t pychild_name(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	return cpython_process_name(py, cpython_started(py, top), text, bytes);
}

bool pychild_is_daemon(const struct cpython *py, uint64_t top)
{
	uint64_t process = cpython_started(py, top),
		 config = process ? cpython_attribute(py, process, "_config") : 0,
		 daemon = config ? cpython_dict_find(py, config, "daemon") : 0;

	return daemon && cpython_is_a(py, daemon, "bool") &&
	       cpython_member(py, daemon, CPYTHON_INT_VALUE) & 1;
}
