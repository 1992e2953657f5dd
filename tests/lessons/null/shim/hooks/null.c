/* SPDX-License-Identifier: Apache-2.0 */
/* The null hook: makes its call, and logs the null event. */
#include <unistd.h>

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"

EXPORT pid_t getpgrp(void)
{
	ENTER(getpgrp);
	pid_t group = REAL(getpgrp)();

	if (life_may_change())
		GUARDED {
			EMIT(null, .group = (uint64_t)group, .caller = CALLER, .stack = stack_own(),
			     .python = stack_python(0));
		}
	return group;
}
