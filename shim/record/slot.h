/* SPDX-License-Identifier: Apache-2.0 */
/* This image's slot in the session's table. See table.h, life.h. */
#pragma once

#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * The slot that the parent claimed for this process, or a new one; TABLE_NO_SLOT: the table is
 * full. Called before anything else is known about this process.
 */
uint32_t slot_take(void);

/*
 * Reserves a slot for a child before it is born, and fills in what it inherits: the child then writes to few pages.
 * `fork`: the event of its creation; 0: unknown. Returns slot + 1; 0: the table is full.
 */
uint32_t slot_expect(enum mpsan_how how, uint64_t fork);
/* The child was not born: the next one will have the slot. */
void slot_expect_again(uint32_t slot);
/* The child is born, and takes the slot; 0: it tries to get one. TABLE_NO_SLOT: the table is full. */
uint32_t slot_born(uint32_t slot, enum mpsan_how how, uint64_t fork, uint64_t birth);

/*
 * The slot of a child that execs without running code of the library before, whichever of the two
 * claimed it. `fork`: the event of its creation; 0: unknown.
 */
uint32_t slot_spawned(uint32_t pid, enum mpsan_how how, uint64_t since_ns, uint64_t fork);
