/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA part of a reader: its facts and triggers. Neighbours: collect.h, triggers.c;
 * tools/facts/cuda.h has the facts.
 */
#pragma once

#include "reader.h"

struct cuda_store;

struct cuda_store *cuda_store_create(void);
void cuda_store_destroy(struct cuda_store *store);

/* Takes a record; false: it is not about CUDA. */
bool collect_cuda(struct reader *reader, const struct record *record);

/*
 * Whether a process has made, opened or freed memory that others use, as far as the logs have been
 * read.
 */
bool cuda_shares(const struct reader *reader, uint32_t slot);

/*
 * Memory is tracked in time order over all logs, so records wait until every log has been read up
 * to their time. Enters those that are due.
 */
void collect_cuda_due(struct reader *reader, uint64_t now);

/* Publishes the facts for the rules. */
void cuda_publish(struct reader *reader, struct facts *facts);

/* The record of a trigger; false: the trigger is not about CUDA. */
bool cuda_trigger_place(const struct reader *reader, const struct trigger *trigger,
			struct fact_place *place);

/* See trigger_timing. */
enum timing cuda_trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
				uint64_t *due_ns);

/*
 * Whether a process has ended with memory that others have open, and the outcome is still unknown.
 */
bool cuda_is_open(const struct reader *reader);
