/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor cannot examine, recorded once as a limit: threads without ptrace permission,
 * and processes hidden by /proc. Neighbour: deadlocks.h.
 */
#pragma once

#include "deadlocks.h"

void blind_spots_record(struct deadlocks *deadlocks);
