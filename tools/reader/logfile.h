/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One SLOT.log, mapped read-only and read record by record while its writer continues. Nothing in
 * it is trusted: every position is checked against the file's size. Neighbours: reader.h merges the
 * logs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

struct logfile {
	uint32_t slot;
	const uint8_t *map;
	uint64_t mapped;
	uint64_t inode;
	uint64_t size; /* bytes of the file that exist */
	uint64_t next; /* position of the next record to read */
	uint64_t gap_since; /* when the record at `next` was first seen unfinished; 0: it was not */
	uint64_t bad; /* records with a wrong checksum */
	uint64_t unfinished; /* records that were skipped while they were being written */
	bool lacks_memory; /* the reason why it could not be opened */
	int fd; /* of a log that has no name; else -1 */
};

/* A committed record. Pointers stay valid until the log is closed. */
struct record {
	uint32_t slot; /* of the log */
	uint32_t by; /* slot of the process that wrote it */
	uint32_t tid;
	uint16_t type;
	uint64_t pos;
	uint64_t time_ns;
	uint64_t later; /* its current value */
	const void *payload;
	uint64_t bytes;
};

/* Compares records by time for qsort(), then by log. */
int record_compare(const void *one, const void *other);

/* Opens a log. False with errno 0 if the file exists but is not a log of this format. */
bool logfile_open(struct logfile *log, int dirfd, uint32_t slot);
/* The same for one that has no name: the descriptor stays the caller's, open as long as the log is. */
bool logfile_open_at(struct logfile *log, int fd, uint32_t slot);
void logfile_close(struct logfile *log);

/* Checks how far the file has grown. */
void logfile_refresh(struct logfile *log, int dirfd);

/*
 * The next committed record; false if there is none yet. An unfinished record is skipped after
 * `patience_ns`, and after ten times that if its head is written.
 */
bool logfile_next(struct logfile *log, uint64_t now, uint64_t patience_ns, struct record *out);

/* The record at a position; false if there is no valid one. */
bool logfile_at(const struct logfile *log, uint64_t pos, struct record *out);

/*
 * The record at a position where a valid one was found before: its checksum is not verified again.
 */
void logfile_take(const struct logfile *log, uint64_t pos, struct record *out);
/* Its time alone. */
uint64_t logfile_time(const struct logfile *log, uint64_t pos);

/* Releases this log's pages from memory; they are read again on demand. */
void logfile_release(const struct logfile *log);

/* The same for a log that will hardly be read again: also of what the kernel keeps for the mapping. */
void logfile_give_back(const struct logfile *log, int dirfd);

const struct mpsan_log *logfile_head(const struct logfile *log);
