/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor cannot examine, recorded once as a limit: threads without ptrace permission,
 * and processes hidden by /proc. Neighbour: deadlocks.h.
 */
#ifndef MPSAN_BLIND_SPOTS_H
#define MPSAN_BLIND_SPOTS_H

#include "deadlocks.h"

void blind_spots_record(struct deadlocks *deadlocks);

#endif
