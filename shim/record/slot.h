/* SPDX-License-Identifier: Apache-2.0 */
/* The place of this image in the session's table. Neighbours: table.h, life.h. */
#ifndef MPSAN_SLOT_H
#define MPSAN_SLOT_H

#include <stdint.h>

#include "../../include/mpsan_log.h"

/* The slot that the parent claimed for us, or a new one; TABLE_NO_SLOT: there is no room. Before anything is known of us. */
uint32_t slot_take(void);

/* What a child has of its parent, which is in `parent_slot`. */
void slot_fill_child(struct mpsan_process *p, uint32_t parent_slot, enum mpsan_how how,
		     uint64_t birth);

/*
 * A child that execs without running any of our code first: its slot, whoever claimed it. `fork`:
 * the event of its making, 0: not known.
 */
uint32_t slot_spawned(uint32_t pid, enum mpsan_how how, uint64_t since_ns, uint64_t fork);

#endif
