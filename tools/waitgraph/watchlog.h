/*
 * The supervisor's own log: what it saw from outside, in the format of a process's log, so that a
 * later report reads the same facts. Its file stands behind those of all slots. Each record names
 * the process that it is about. Neighbours: ../include/mpsan_log.h; deadlocks.h writes here.
 */
#ifndef MPSAN_WATCHLOG_H
#define MPSAN_WATCHLOG_H

#include "../reader/maps.h"
#include "snapshot.h"

struct watchlog {
	const struct reader *reader;
	struct maps *maps;
	int fd; /* -1: no log could be made, and nothing is kept */
	bool failed; /* something was not kept: there was no room, or something else in its place */
	uint64_t head;
};

void watchlog_open(struct watchlog *log, const struct reader *reader);
void watchlog_close(struct watchlog *log);

/* Appends an event about a thread; returns its position, 0: it was not kept. */
uint64_t watchlog_put(struct watchlog *log, enum mpsan_event_type type, uint32_t slot, uint32_t tid,
		      const void *payload, size_t bytes);
uint64_t watchlog_text(struct watchlog *log, uint32_t slot, const char *text);

/* Copies the stack of a thread that stands in a system call, and notes its process's modules. */
uint64_t watchlog_stack(struct watchlog *log, const struct snapshot_thread *thread);

#endif
