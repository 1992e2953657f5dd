/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects in forked children, where the library does not run, what it would have recorded: orphaned locks, owned by a
 * thread that the fork did not copy, and lost wakeups, in a child without another thread that could send them.
 * Neighbours: ../waits/outside.h, ../../shim/locks/wait_proof.h.
 */
#pragma once

#include "deadlocks.h"

/* Records such waits of the snapshot, which explain its deadlocks. */
void forked_waits_state(struct deadlocks *deadlocks);
/* Where the library runs: proves those that it has recorded, and doubts although they are proved from outside. */
void forked_waits_prove(struct deadlocks *deadlocks);
