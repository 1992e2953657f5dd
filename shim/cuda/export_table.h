/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's file `exports`: device memory that other processes may open. Created at the first
 * export, mapped by exporters and readers. ranges.h is the table in it, registry.c enters this
 * process's memory, ipc.c finds and opens that of others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../common/ranges.h"

/* The table; NULL: there is none. With `make` it is created, small, or large for --auto-export. */
struct ranges *export_table_table(bool make);

/* Counts memory that could not be exported. */
void export_table_refused(enum mpsan_export_refusal why);

/* As ranges_claim; removes entries of dead processes from a full bucket. */
struct mpsan_export_place *export_table_claim(uint32_t owner, uint64_t start, uint64_t bytes);

/*
 * Finds the export that contains the address: 0, -ENOENT, or -ESRCH if its owner is dead, whose
 * entries are then removed.
 */
int export_table_find(uint32_t owner, uint64_t address, struct mpsan_export_place *copy,
		      struct mpsan_export_place **place);
/* As export_table_find, by name. */
int export_table_find_name(const char *name, struct mpsan_export_place *copy,
			   struct mpsan_export_place **place);

/* Whether the process of that slot still runs the same image, by its slot, then by /proc. */
bool export_table_lives(uint32_t slot);

/*
 * Removes an export and its name; `copy` receives its last flags. False: another thread or process
 * did so.
 */
bool export_table_drop(struct mpsan_export_place *place, struct mpsan_export_place *copy);

/* Removes only its name. */
void export_table_unname(const struct mpsan_export_place *of);

/* Marks an export as opened. False: it is no longer the copied one. */
bool export_table_opened(struct mpsan_export_place *place, const struct mpsan_export_place *copy);
/* Removes everything that this process has entered. */
void export_table_withdraw(void);

/* A hash of a name, truncated to MPSAN_EXPORT_NAME - 1 bytes; never 0. */
uint64_t export_table_name_hash(const char *name);
