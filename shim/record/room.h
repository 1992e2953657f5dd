/* SPDX-License-Identifier: Apache-2.0 */
/* How far the logs of a session may grow together: each takes room from the head of the session before it grows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

static inline void room_return(struct mpsan_session *session, uint64_t bytes)
{
	if (session->logs_max)
		__atomic_fetch_sub(&session->logs_bytes, bytes, __ATOMIC_RELAXED);
}

/*
 * False: the limit is reached. The last quarter is for the `first` chunks of processes yet to come. A full session costs a
 * look, and no store that others wait for.
 */
static inline bool room_take(struct mpsan_session *session, uint64_t bytes, bool first)
{
	uint64_t limit = session->logs_max, taken;

	if (!limit)
		return true;
	limit -= first ? 0 : limit / 4;
	taken = __atomic_load_n(&session->logs_bytes, __ATOMIC_RELAXED);
	if (taken + bytes > limit)
		return false;
	if (__atomic_add_fetch(&session->logs_bytes, bytes, __ATOMIC_RELAXED) <= limit)
		return true;
	room_return(session, bytes);
	return false;
}
