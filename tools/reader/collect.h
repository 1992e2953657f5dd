/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts records into the reader's arrays and relates them. Neighbour: reader.c. */
#pragma once

#include "reader.h"

/* Takes one record; to be called in time order. */
void collect_record(struct reader *reader, const struct record *record);

/*
 * Drops announced events that were retracted, among those old enough: see log_announce() in
 * shim/record/log.h.
 */
void collect_settled(struct reader *reader, uint64_t now);

/* Relates holds to forks and forks to children, as far as they have been read. */
void collect_links(struct reader *reader);
