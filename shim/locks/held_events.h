/* SPDX-License-Identifier: Apache-2.0 */
/* Records the locks held at a fork as `held` events. fork.c collects them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "claim.h"

/*
 * Logs the verified held locks of this fork. If the same list was already logged, returns the
 * position of that fork; otherwise 0. Child handlers mark what they repair for their own fork only,
 * so with such handlers each fork has its own list: then `refers` is false.
 */
uint64_t held_state(struct claim *claim, uint32_t count, uint64_t fork, bool refers);
