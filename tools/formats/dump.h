/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records and process slots of a session as JSON objects. Neighbours: cmd_dump.c prints them,
 * logfile.h has the records.
 */
#pragma once

#include <jansson.h>

#include "../reader/reader.h"

/*
 * Calls `print` for each event in time order. An object has time_ns (since the session's start),
 * pid, tid, event, and the event's fields. Returns NULL, or a one-line error that the caller frees.
 */
char *dump_session(const char *dir, void (*print)(const json_t *object));

/* An event; `type` is its record's, or EV_none for a start, exec or end of a process. */
struct dump_event {
	const struct reader *reader;
	uint32_t slot;
	enum mpsan_event_type type;
	uint64_t time_ns; /* session time */
	const json_t *object;
};

/*
 * Calls `visit` for each event of a session of any length: process by process, in the order of its
 * log, with one event in memory at a time. Omits `text`, `stack` and `thread` records, which only
 * other records refer to. Returns as dump_session().
 */
char *dump_stream(const char *dir, void (*visit)(const struct dump_event *event, void *context),
		  void *context);
