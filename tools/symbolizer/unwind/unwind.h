/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a raw stack snapshot into return addresses.
 *
 * The process itself copies registers and bytes and unwinds nothing; this reads the unwind tables
 * of the files it had mapped, after the fact and possibly after its death.
 */
#pragma once

#include "../../../include/mpsan_log.h"
#include "../modules.h"

#define UNWIND_SIGNAL 255

/*
 * Unwinds the snapshot `head`, whose raw stack is `bytes` (head->bytes of them), and stores at most
 * `max` code addresses, innermost first: pcs[0] is the program counter of the snapshot, the others
 * are return addresses. Returns their number, 0 when the program counter is not known.
 *
 * `signals`, which may be NULL, gets the signal whose handler returns to that address,
 * UNWIND_SIGNAL if it is unknown which, else 0.
 *
 * The stack ends early where the copy ends, where the CFA does not grow, and at a frame that has no
 * unwind table (its file is gone or changed) and no plausible frame pointer. Nothing in the
 * snapshot or the files is trusted. Not for use by several threads at a time.
 */
size_t unwind_stack(const struct modules *modules, const struct mpsan_stack *head,
		    const uint8_t *bytes, uint64_t *pcs, uint8_t *signals, size_t max);

/* Gives back what unwind_stack() keeps between calls. */
void unwind_finish(void);
