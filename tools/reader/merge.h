/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the new records of all logs in time order without copying them: per log a sorted list of
 * positions, and a heap over the logs. Of millions of records only four bytes each are kept; their times are
 * read from the logs again. Neighbours: logfile.h below, reader.c above.
 */
#pragma once

#include "../base/util.h"
#include "logfile.h"

/* The records of one log: a range of `places`. */
struct run {
	const struct logfile *log;
	uint32_t next, end;
	uint64_t
		time_ns; /* of the record that was added last; after merge_begin() that of the next one */
	bool unsorted;
};

struct merge {
	ARRAY(uint32_t) places; /* positions in the logs, in units of MPSAN_UNIT */
	ARRAY(struct run) runs; /* a heap after merge_begin() */
};

/* Begins a log; merge_add() then adds its records. Empty logs cost nothing. */
void merge_log(struct merge *merge, const struct logfile *log);
void merge_add(struct merge *merge, const struct record *record);

/* Ends the input: merge_next() then returns records by time, slot and position. */
void merge_begin(struct merge *merge);
bool merge_next(struct merge *merge, struct record *out);

/* Forgets everything; small lists keep their memory for the next poll. */
void merge_clear(struct merge *merge);
void merge_finish(struct merge *merge);
