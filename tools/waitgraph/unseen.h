/*
 * What the supervisor cannot look at, stated once as a limit: threads that it may not trace, and
 * processes that /proc hides. Neighbour: deadlocks.h.
 */
#ifndef MPSAN_UNSEEN_H
#define MPSAN_UNSEEN_H

#include "deadlocks.h"

void unseen_state(struct deadlocks *deadlocks);

#endif
