/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a session that are in other PID namespaces: the table has the number that each has
 * there, /proc has the one that it has here. Neighbour: session.h.
 */
#pragma once

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* Whether it is in another PID namespace: its pid means another process here. */
bool elsewhere_is(const struct mpsan_process *process);

struct elsewhere;

struct elsewhere *elsewhere_create(const struct mpsan_process *table, uint32_t slots);
void elsewhere_destroy(struct elsewhere *elsewhere);

/*
 * The number here of the process of a slot, which may have ended since; 0: not found (yet). The table has
 * `there` slots so far.
 */
uint32_t elsewhere_pid(struct elsewhere *elsewhere, uint32_t there, uint32_t slot);

/* Tells the number here of the process of a slot. */
void elsewhere_tell(struct elsewhere *elsewhere, uint32_t slot, uint32_t pid);

/* Whether it is known to have ended before it was found. */
bool elsewhere_is_gone(const struct elsewhere *elsewhere, uint32_t there, uint32_t slot);

/* Whether a process with its number was found whose namespace may not be read. */
bool elsewhere_denied(const struct elsewhere *elsewhere, uint32_t slot);
