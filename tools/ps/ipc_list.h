/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of `mpsan ipc`: every export with its owner, name and importers. Neighbours:
 * export_table.h reads the table, cmd_ipc.c prints the list.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "../reader/export_table.h"

struct ipc_mapping {
	struct mpsan_export_place place;
	bool known; /* its export is in the list */
};

struct ipc_importer {
	uint32_t slot;
	uint64_t since_ns, address;
};

struct ipc_row {
	struct mpsan_export_place place;
	uint32_t first, count; /* its range of imports */
	bool freed; /* unexported, or its owner ended, while a process still has it open */
};

struct ipc_list {
	struct session session;
	struct exports exports;
	ARRAY(struct ipc_mapping) imports; /* by handle */
	ARRAY(struct ipc_importer) importers;
	ARRAY(struct ipc_row) rows; /* sorted by importance */
	uint8_t *liveness; /* by slot: enum liveness + 1; 0: not checked yet */
	uint64_t now_ns;
	uint64_t live, bytes; /* exports of living owners */
	uint32_t owners, users; /* processes that export, and that have something open */
};

/* Returns NULL, or a one-line error that the caller frees. */
char *ipc_list_open(struct ipc_list *list, const char *dir);
void ipc_list_close(struct ipc_list *list);

/*
 * The document:
 *
 *   schema   "mpsan.ipc/1"
 *   session  the directory
 *   time_ns  when it was read; all times are CLOCK_REALTIME in nanoseconds
 *   exports  [{pid, argv, state: "alive|ended|unknown", device, gpu: "0x...", base: "0x...", bytes,
 *              born_ns, name, kind: "malloc|pool|vmm", by: "program|library", opened, freed,
 *              importers: [{pid, since_ns, address}]}]
 *            opened: a process has had it open. freed: its owner has taken it back, but importers
 *            still have it open
 *   totals   {exports, bytes, owners, importers, reclaimed}: of living processes; entries of dead
 *            processes that were removed
 *   limits   what could not be exported, one line each
 */
json_t *ipc_list_document(struct ipc_list *list);

/*
 * The totals alone of the session in that directory; null if nothing was ever exported or the table
 * cannot be read.
 */
json_t *ipc_list_totals(const char *dir);

/* Prints the list as text, shortened to one screen. */
void ipc_list_print(struct ipc_list *list, FILE *out);
