/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fix of a finding: for a lock that a thread takes while it holds it, by what came in between, a signal handler, a
 * destructor, a callback, or nothing but calls; for other waits of a signal handler or greenlet. Neighbour: evidence.h.
 */
#pragma once

#include "callsite.h"

/*
 * `taken`: where the thread took the lock first; its frames may be unknown. `handler`: as
 * callsite_handler. `native`: as deadlock_native_fix.
 */
const char *reentry_fix(const struct facts *facts, const struct finding *finding,
			const struct callsite *waiter, const struct callsite *taken,
			const char *handler, const char *native);
