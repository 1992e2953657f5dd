/*
 * Writes sessions as the library would, and as it never would: for tests of whatever reads them.
 * Neighbours: ../../include/mpsan_log.h, test_reader.c.
 */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

#define WRITER_SLOTS 64u

struct log_writer {
	char dir[64];
	struct mpsan_session *session;
	struct mpsan_process *table;
	uint8_t *log[WRITER_SLOTS]; /* mapped, NULL: none */
	uint64_t log_bytes;
};

/* Makes an empty session in a new directory; it began at time 1. Ends the test when it cannot. */
void writer_create(struct log_writer *writer);

/* Unmaps it and removes the directory. */
void writer_destroy(struct log_writer *writer);

/* Fills a slot. The pid is one that no process has, unless a test sets another. */
struct mpsan_process *writer_process(struct log_writer *writer, uint32_t slot, uint32_t parent,
				     uint64_t birth_ns);

/* Appends a record and returns its position; a log is made at the first. */
uint64_t writer_put(struct log_writer *writer, uint32_t slot, enum mpsan_event_type type,
		    uint64_t time_ns, uint32_t tid, const void *payload, uint64_t bytes);
uint64_t writer_text(struct log_writer *writer, uint32_t slot, uint64_t time_ns, const char *text);

/* Reserves room and never finishes it. */
uint64_t writer_reserve(struct log_writer *writer, uint32_t slot, uint64_t bytes);

/* Finishes what was reserved. */
void writer_commit(struct log_writer *writer, uint32_t slot, uint64_t pos,
		   enum mpsan_event_type type, uint64_t time_ns, uint32_t tid, const void *payload,
		   uint64_t bytes);

#define WRITE(writer, slot, name, time_ns, tid, ...)                                        \
	writer_put(writer, slot, EV_##name, time_ns, tid, &(struct ev_##name){__VA_ARGS__}, \
		   sizeof(struct ev_##name))

#endif
