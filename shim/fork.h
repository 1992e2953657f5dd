/*
 * What a fork leaves behind. The forking thread looks at every other thread's claims in the last
 * prepare handler, asks memory which are true, and writes them down twice: as events for the
 * report, and in private memory that the child inherits, where it can look up a lock that it is
 * about to wait for.
 */
#ifndef MPSAN_FORK_H
#define MPSAN_FORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "../include/mpsan_log.h"
#include "claim.h"

/*
 * Registers our atfork handlers; the first caller of __register_atfork makes it happen before its
 * own. `repairs`: somebody registers a child handler, which may release or re-initialise locks.
 */
void fork_register(bool repairs);

/*
 * Around the real call. Ways that run no atfork handlers say `handlers` false and are prepared
 * here.
 */
void fork_enter(enum mpsan_how how, bool handlers);
pid_t fork_leave(pid_t result);

/* The two halves for a child that comes to life elsewhere (clone). */
void fork_born(void);

/*
 * In a forked child: the claim of a thread left behind on this lock, of this kind (0: any); NULL:
 * none.
 */
const struct claim *fork_orphan_find(const void *lock, unsigned kind);

/* The calling thread is inside fork, in an atfork handler of its own; in a child also of Python's. */
bool fork_in_handler(void);

/*
 * The claims of threads left behind, one by one, NULL behind the last; fork_orphan_drop takes one
 * out that has turned out to be free, and the last takes its place.
 */
const struct claim *fork_orphan_at(uint32_t index);
void fork_orphan_drop(uint32_t index);

/* A lock was initialised: in a forked child nobody's hold on it from before counts any more. */
void fork_lock_made(const void *lock, uint64_t caller);

#endif
