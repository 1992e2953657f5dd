/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions that nobody lives in any more: those of plain preloading are kept until there are too many, and a
 * command that was killed could not take its own away. Neighbour: session.c.
 */
#ifndef MPSAN_STALE_SESSIONS_H
#define MPSAN_STALE_SESSIONS_H

#include <stdbool.h>

struct identity;

/* Keeps their number below `base` bounded: lets go of one. `self`: who asks. */
void stale_forget(const char *base, const struct identity *self);

/* Whether it is certain that all of its processes have ended. */
bool stale_is_over(const char *directory, const struct identity *self);
void stale_remove(const char *directory);

#endif
