/*
 * Every record and every process slot of a session as JSON objects. Neighbours: cmd_dump.c prints
 * them, logfile.h has the records.
 */
#ifndef MPSAN_DUMP_H
#define MPSAN_DUMP_H

#include <jansson.h>

#include "../reader/reader.h"

/*
 * Calls `print` for each in time order. An object has time_ns (since the session's start), pid,
 * tid, event, and the event's fields. NULL, or one line (owned by the caller) that says what is
 * wrong.
 */
char *dump_session(const char *dir, void (*print)(const json_t *object));

/* One event: `type` is that of its record, EV_none for a moment in the life of a process. */
struct dump_event {
	const struct reader *reader;
	uint32_t slot;
	enum mpsan_event_type type;
	uint64_t time_ns; /* as the session counts */
	const json_t *object;
};

/*
 * The same for a session of any length: process by process, each in the order of its log, one event in memory at a time,
 * and nothing of `text`, `stack` and `thread`, which only others point at.
 */
char *dump_stream(const char *dir, void (*visit)(const struct dump_event *event, void *context),
		  void *context);

#endif
