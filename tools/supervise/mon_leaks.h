/*
 * Names of shared memory that a session leaves behind: when its program has ended the supervisor looks
 * into /dev/shm and states what is there of this session, once. Rules judge it. Neighbours: watch.h calls,
 * watchlog.h keeps, tools/facts/shm.h has the ledger.
 */
#ifndef MPSAN_MON_LEAKS_H
#define MPSAN_MON_LEAKS_H

#include "../waitgraph/watchlog.h"

/*
 * Takes up to LEAKS_GRACE_NS while something is left and a resource tracker or torch_shm_manager of
 * the session is there to remove it.
 */
#define LEAKS_GRACE_NS 2000000000ull
void mon_leaks_look(struct reader *reader, struct watchlog *log);

#endif
