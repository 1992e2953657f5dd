/*
 * The part of a reader that is about CUDA: its facts, and the moments of them. Neighbours: collect.h,
 * triggers.c; tools/facts/cuda.h has the facts.
 */
#ifndef MPSAN_COLLECT_CUDA_H
#define MPSAN_COLLECT_CUDA_H

#include "reader.h"

struct cuda_store;

struct cuda_store *cuda_store_create(void);
void cuda_store_destroy(struct cuda_store *store);

/* Takes a record; false: it is none of CUDA's. */
bool collect_cuda(struct reader *reader, const struct record *record);

/* A process has made, opened or given back memory that others use, as far as the logs have been read. */
bool cuda_shares(const struct reader *reader, uint32_t slot);

/*
 * Memory is followed in the order of time over all logs, so its records wait until every log has been
 * read that far. Takes those whose time has come.
 */
void collect_cuda_due(struct reader *reader, uint64_t now);

/* What the rules see of it. */
void cuda_publish(struct reader *reader, struct facts *facts);

/* The record that a moment belongs to; false: the moment is none of CUDA's. */
bool cuda_trigger_place(const struct reader *reader, const struct trigger *trigger,
			struct fact_place *place);

/* See trigger_timing. */
enum timing cuda_trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
				uint64_t *due_ns);

/* Whether a process has ended with memory that others have open, and it is not known how that ends. */
bool cuda_is_open(const struct reader *reader);

#endif
