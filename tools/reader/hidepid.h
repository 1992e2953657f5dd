/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Living processes that /proc hides: it is mounted with hidepid, and we may not trace them (of
 * another user, set-user-ID, non-dumpable). What they hold and map is unknown, so no wait counts as
 * endless that they could end. Neighbours: session.h tells whether a process lives; wakers.h and
 * pshared_locks.h call.
 */
#pragma once

#include "../proc/hidepid_option.h"
#include "reader.h"

#define HIDDEN_CURE                                                                                   \
	"run mpsan as root, or as a member of the group that /proc's option gid= names; or mount -o " \
	"remount,hidepid=0 /proc"

/* Counts hidden processes of the session; sets the first one's slot, or FACT_NONE. */
uint32_t hidepid_count(const struct reader *reader);
uint32_t hidepid_first(const struct reader *reader);
/* Whether there are any, or hidden children of visible processes. */
bool hidepid_any(const struct reader *reader);
