/*
 * Puts the new records of all logs into the order of time without holding them: per log a sorted list of
 * where they stand, then one heap over the logs. Neighbours: logfile.h below, reader.c above.
 */
#ifndef MPSAN_MERGE_H
#define MPSAN_MERGE_H

#include "../base/util.h"
#include "logfile.h"

/* Where a record stands in its log, and when it was written. */
struct mark {
	uint64_t time_ns, pos;
};

/* The marks of one log: a range of all. */
struct run {
	const struct logfile *log;
	uint32_t next, end;
};

struct merge {
	ARRAY(struct mark) marks;
	ARRAY(struct run) runs; /* a heap once merge_begin() was called */
};

/* A log begins; merge_add() then names its records. Empty logs cost nothing. */
void merge_log(struct merge *merge, const struct logfile *log);
void merge_add(struct merge *merge, const struct record *record);

/* All are there: merge_next() gives them in the order of time; at one time, in that of slot and position. */
void merge_begin(struct merge *merge);
bool merge_next(struct merge *merge, struct record *out);

/* Forgets everything; small lists keep their memory for the next poll. */
void merge_clear(struct merge *merge);
void merge_finish(struct merge *merge);

#endif
