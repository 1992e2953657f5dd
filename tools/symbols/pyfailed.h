/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and Futures that have failed, at hand where a thread waits. Neighbour: pytasks.h asks. */
#pragma once

#include "../../shim/common/cpython/exception.h"

/* Whether an object is such a one: see there. */
bool pyfailed_is(const struct cpython *py, uint64_t object, struct cpython_exception *exception);

/*
 * Whether a variable of a frame is, or has, a Future of concurrent.futures that has failed, or one of asyncio that nobody has
 * asked for its exception, up to CPython 3.13. Fills `exception`.
 */
bool pyfailed_find(const struct cpython *py, const struct frame *frame,
		   struct cpython_exception *exception);
