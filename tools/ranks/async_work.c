/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the functions of torch below which a thread waits. */
#include "async_work.h"

#include <string.h>

#define FRAMES 16u /* from the system call to the function */

/* "c10d::Work::wait(...)", "c10d::ProcessGroup::Work::wait(...)", "c10d::ProcessGroupNCCL::WorkNCCL::wait(...)". */
static bool is_wait_for_work(const char *function)
{
	const char *name = strstr(function, "::wait("), *work = strstr(function, "Work");

	return !strncmp(function, "c10d::", 6) && name && work && work < name;
}

bool async_work_waits(struct native *native, const struct snapshot_thread *thread)
{
	const struct modules *modules;
	uint64_t pcs[FRAMES];
	size_t count = native_stack(native, thread, pcs, NULL, FRAMES, &modules);

	for (size_t i = 0; i < count; i++) {
		struct symbol symbol = {0};

		if (native_name(native, modules, pcs[i], i > 0, &symbol) && symbol.function &&
		    is_wait_for_work(symbol.function))
			return true;
	}
	return false;
}
