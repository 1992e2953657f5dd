/*
 * One SLOT.log, mapped read-only and read record by record while its writer goes on writing.
 * Nothing in it is trusted: every position is checked against the bytes that are there.
 * Neighbours: reader.h merges the logs.
 */
#ifndef MPSAN_LOGFILE_H
#define MPSAN_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

struct logfile {
	uint32_t slot;
	const uint8_t *map;
	uint64_t mapped;
	uint64_t size; /* bytes of the file that exist */
	uint64_t next; /* position of the next record to read */
	uint64_t gap_since; /* when the record at `next` was first seen unfinished, 0: it was not */
	uint64_t bad; /* records with a wrong sum */
	bool lacks_memory; /* why it could not be opened */
};

/* A committed record. Pointers stay valid until the log is closed. */
struct record {
	uint32_t slot; /* of the log */
	uint32_t by; /* slot of the process that wrote it */
	uint32_t tid;
	uint16_t type;
	uint64_t pos;
	uint64_t time_ns;
	uint64_t later; /* as it stands when it is looked at */
	const void *payload;
	uint64_t bytes;
};

/* The order of time, for qsort(); at one time, that of the logs. */
int record_compare(const void *one, const void *other);

/* False with errno 0 when the file is there but is no log of this format. */
bool logfile_open(struct logfile *log, int dirfd, uint32_t slot);
void logfile_close(struct logfile *log);

/* Looks how far the file has grown. */
void logfile_refresh(struct logfile *log, int dirfd);

/*
 * The next committed record, false when there is none yet. A reserved but unfinished one is
 * passed over once it has been in the way for `patience_ns`.
 */
bool logfile_next(struct logfile *log, uint64_t now, uint64_t patience_ns, struct record *out);

/* The record at a position; false when there is no sound one. */
bool logfile_at(const struct logfile *log, uint64_t pos, struct record *out);

/* The same for a position at which a sound one was found before: its sum is not looked at again. */
void logfile_take(const struct logfile *log, uint64_t pos, struct record *out);

/* Gives back the memory that pages of this log take here; they are read again when they are wanted. */
void logfile_release(const struct logfile *log);

const struct mpsan_log *logfile_head(const struct logfile *log);

#endif
