/*
 * Every record and every process slot of a session as JSON objects. Neighbours: cmd_dump.c prints
 * them, logfile.h has the records.
 */
#ifndef MPSAN_DUMP_H
#define MPSAN_DUMP_H

#include <jansson.h>

/*
 * Calls `print` for each in time order. An object has time_ns (since the session's start), pid,
 * tid, event, and the event's fields. NULL, or one line (owned by the caller) that says what is
 * wrong.
 */
char *dump_session(const char *dir, void (*print)(const json_t *object));

#endif
