/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared-memory names that a session leaves behind: when its program has ended the supervisor
 * records, once, which names of this session still exist in /dev/shm. Rules judge them. Neighbours:
 * watch.h calls, watchlog.h records, tools/facts/shm.h has the facts.
 */
#pragma once

#include "../waits/watchlog.h"

/*
 * Waits up to LEAKS_GRACE_NS while a name exists and a resource tracker or torch_shm_manager of the
 * session lives that may unlink it.
 */
#define LEAKS_GRACE_NS 2000000000ull
void mon_leaks_look(struct reader *reader, struct watchlog *log);
