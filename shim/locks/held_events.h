/* SPDX-License-Identifier: Apache-2.0 */
/* States what a fork left locked, as `held` events. Neighbour: fork.c finds it out. */
#ifndef MPSAN_HELD_EVENTS_H
#define MPSAN_HELD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "claim.h"

/*
 * Third round of a snapshot: states the holds of a fork, or finds that an earlier one has: its
 * position, 0 when they were stated. Child handlers mark what they repair for their own fork alone, so with those each fork
 * has its own list: then `refers` is false.
 */
uint64_t held_state(struct claim *claim, uint32_t count, uint64_t fork, bool refers);

#endif
