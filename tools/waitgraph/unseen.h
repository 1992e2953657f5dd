/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor cannot examine, recorded once as a limit: threads without ptrace permission,
 * and processes hidden by /proc. Neighbour: deadlocks.h.
 */
#ifndef MPSAN_UNSEEN_H
#define MPSAN_UNSEEN_H

#include "deadlocks.h"

void unseen_state(struct deadlocks *deadlocks);

#endif
