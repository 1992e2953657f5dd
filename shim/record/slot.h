/* SPDX-License-Identifier: Apache-2.0 */
/* This image's slot in the session's table. See table.h, life.h. */
#ifndef MPSAN_SLOT_H
#define MPSAN_SLOT_H

#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * The slot that the parent claimed for this process, or a new one; TABLE_NO_SLOT: the table is
 * full. Called before anything else is known about this process.
 */
uint32_t slot_take(void);

/* Fills in what a child inherits from its parent, whose slot is `parent_slot`. */
void slot_fill_child(struct mpsan_process *p, uint32_t parent_slot, enum mpsan_how how,
		     uint64_t birth);

/*
 * The slot of a child that execs without running code of the library before, whichever of the two
 * claimed it. `fork`: the event of its creation; 0: unknown.
 */
uint32_t slot_spawned(uint32_t pid, enum mpsan_how how, uint64_t since_ns, uint64_t fork);

#endif
