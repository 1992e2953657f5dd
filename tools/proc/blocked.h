/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that a thread blocks: in a handler also the one that it handles. */
#ifndef MPSAN_BLOCKED_H
#define MPSAN_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

struct mpsan_stack;

/* Adds the signals that the thread blocks to the head of its stack, if they can be read. */
void blocked_note(uint32_t pid, uint32_t tid, struct mpsan_stack *head);

#endif
