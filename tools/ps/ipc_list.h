/*
 * What `mpsan ipc` tells: every export with its owner, name and importers. Neighbours: exports.h
 * has the table, cmd_ipc.c asks.
 */
#ifndef MPSAN_IPC_LIST_H
#define MPSAN_IPC_LIST_H

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
	uint32_t first, count; /* of its importers */
	bool freed; /* its owner has taken it back, or is gone, and somebody still has it open */
};

struct ipc_list {
	struct session session;
	struct exports exports;
	ARRAY(struct ipc_mapping) imports; /* by handle */
	ARRAY(struct ipc_importer) importers;
	ARRAY(struct ipc_row) rows; /* those that matter most come first */
	uint8_t *liveness; /* by slot: enum liveness + 1, 0: not asked yet */
	uint64_t now_ns;
	uint64_t live, bytes; /* exports whose owners live */
	uint32_t owners, users; /* processes that export, and that have something open */
};

/* NULL when all is well, else one line, owned by the caller. */
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
 *            opened: some process has had it open. freed: its owner took it back, the importers have
 *            it still
 *   totals   {exports, bytes, owners, importers, reclaimed}: of those alive; entries that the dead had
 *            left and that were taken out
 *   limits   what could not be exported, one line each
 */
json_t *ipc_list_document(struct ipc_list *list);

/* Its totals alone, of the session in that directory; null: nothing was ever exported, or it cannot be read. */
json_t *ipc_list_totals(const char *dir);

/* The same on one screen. */
void ipc_list_print(struct ipc_list *list, FILE *out);

#endif
