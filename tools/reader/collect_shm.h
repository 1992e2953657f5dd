/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared-memory part of a reader: its segments. Neighbours: collect.h; tools/facts/shm.h has
 * the facts.
 */
#pragma once

#include "reader.h"

struct shm_store;

struct shm_store *shm_store_create(void);
void shm_store_destroy(struct shm_store *store);

/* Takes the newest of the reader's events. */
void collect_shm(struct reader *reader);

/*
 * Segments are tracked in time order over all logs, so events wait until every log has been read up
 * to their time. Enters those that are due; all if nothing more will come.
 */
void collect_shm_due(struct reader *reader, uint64_t now);

/* Publishes the facts for the rules. */
void shm_publish(struct reader *reader, struct facts *facts);
