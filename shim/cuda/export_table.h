/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's file `exports`: who may open whose device memory. Made at the first export, mapped
 * by whoever exports or looks. Neighbours: ranges.h is the table in it, registry.c enters this
 * process's memory, ipc.c finds and opens that of others.
 */
#ifndef MPSAN_EXPORT_TABLE_H
#define MPSAN_EXPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../common/ranges.h"

/* The table; NULL: there is none yet. With `make` it is made, small or for --auto-export. */
struct ranges *export_table_table(bool make);

/* One more of what could not be exported. */
void export_table_refused(enum mpsan_export_refusal why);

/* As ranges_claim; a full bucket is freed of what the dead have left in it. */
struct mpsan_export_place *export_table_claim(uint32_t owner, uint64_t start, uint64_t bytes);

/*
 * What contains the address: 0, -ENOENT, or -ESRCH when its owner is gone, whose entries are then
 * taken out.
 */
int export_table_find(uint32_t owner, uint64_t address, struct mpsan_export_place *copy,
		      struct mpsan_export_place **place);
/* The same for a name. */
int export_table_find_name(const char *name, struct mpsan_export_place *copy,
			   struct mpsan_export_place **place);

/* The process of that slot still runs the image that it ran: by its slot, then by /proc. */
bool export_table_lives(uint32_t slot);

/* Takes one out, and its name; `copy` receives its last flags. False: somebody else did. */
bool export_table_drop(struct mpsan_export_place *place, struct mpsan_export_place *copy);

/* Takes out its name alone. */
void export_table_unname(const struct mpsan_export_place *of);

/* Somebody opens it. False: it is not the one that was copied any more. */
bool export_table_opened(struct mpsan_export_place *place, const struct mpsan_export_place *copy);
/* The same with all that this process has entered. */
void export_table_withdraw(void);

/* A hash of a name, cut to MPSAN_EXPORT_NAME - 1 bytes; never 0. */
uint64_t export_table_name_hash(const char *name);

#endif
