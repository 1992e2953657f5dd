/*
 * What the supervisor cannot look at, stated once as a limit: threads that it may not trace, and
 * processes that /proc hides. Neighbour: knots.h.
 */
#ifndef MPSAN_BLINDNESS_H
#define MPSAN_BLINDNESS_H

#include "knots.h"

void blindness_state(struct knots *knots);

#endif
