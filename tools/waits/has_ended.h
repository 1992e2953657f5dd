/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads and workers have ended, in a program of which no events are known: by what the kernel,
 * the C library and Python's own modules keep of them. No says nothing. Neighbour: outside.h.
 */
#ifndef MPSAN_HAS_ENDED_H
#define MPSAN_HAS_ENDED_H

#include "snapshot.h"

/* Whether a thread of the same process has ended that began after this one. */
bool has_ended_thread(const struct snapshot *snapshot, const struct snapshot_thread *than);

/*
 * Whether a worker has ended that could have sent something to a process: a child of it, or of its
 * parent if that child began later.
 */
bool has_ended_worker(const struct snapshot *snapshot, uint32_t slot);

#endif
