/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `exports` of a session: device memory that its processes may open of each other.
 * Neighbours: shim/common/ranges.h is the table in it, cmd_ipc.c shows it, watch.c cleans it.
 */
#pragma once

#include <jansson.h>

#include "../../shim/common/ranges.h"
#include "reader.h"

struct exports {
	struct mpsan_exports *head; /* NULL: nothing was exported */
	size_t bytes;
	uint32_t gone; /* number of ended processes at the last cleaning */
};

/* Returns NULL, or a one-line error that the caller frees: the file exists but cannot be used. */
char *export_table_open(struct exports *exports, const struct session *session);
void export_table_close(struct exports *exports);

struct ranges *export_table_table(const struct exports *exports);

/* Removes entries of processes that ended since the last call; opens the file once it exists. */
void export_table_look(struct exports *exports, const struct reader *reader);

/* Adds what could not be exported to a document's limits. */
void export_table_limits(const struct exports *exports, json_t *document);
