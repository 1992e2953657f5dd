/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in forked children that the library would have recorded itself, where it does not run: for a
 * lock whose owner the fork did not copy, and for what only another thread could send, in a child that
 * has none. Neighbours: ../waits/outside.h, ../../shim/locks/wait_proof.h.
 */
#ifndef MPSAN_FORKED_WAITS_H
#define MPSAN_FORKED_WAITS_H

#include "deadlocks.h"

/* Records such waits of the snapshot, which explain its deadlocks. */
void forked_waits_state(struct deadlocks *deadlocks);
/* Where the library runs: proves those that it has recorded, and doubts although they are proved from outside. */
void forked_waits_prove(struct deadlocks *deadlocks);

#endif
