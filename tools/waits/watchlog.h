/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor's own log: its observations in the format of a process's log, so that a later
 * report reads the same facts. Its file number follows those of all slots. Each record names the
 * process that it is about. Neighbours: ../include/mpsan_log.h; deadlocks.h writes here.
 */
#pragma once

#include "../reader/maps.h"
#include "snapshot.h"

struct watchlog {
	const struct reader *reader;
	struct maps *maps;
	int fd; /* -1: there is no log, and nothing is recorded */
	bool failed; /* a record was lost: no space, or the file was replaced */
	uint64_t head;
	struct {
		uint32_t look, pid;
	} noted; /* whose modules were noted last, and in which look (../proc/proc.h) */
};

void watchlog_open(struct watchlog *log, const struct reader *reader);
/*
 * Goes on with the log of a session that nobody writes any more, or that never had one: in memory, so that nothing
 * is written to disk. To be called before the reader reads; closed after it.
 */
void watchlog_continue(struct watchlog *log, struct reader *reader);
void watchlog_close(struct watchlog *log);

/* Whether what is left is to be kept for findings: what may never count is no longer recorded. */
bool watchlog_is_half_full(const struct watchlog *log);

/* Appends an event about a thread; returns its position, 0 if it was lost. */
uint64_t watchlog_put(struct watchlog *log, enum mpsan_event_type type, uint32_t slot, uint32_t tid,
		      const void *payload, size_t bytes);
/* The same for what happened at that time; events of one time before others are written in order. */
uint64_t watchlog_put_at(struct watchlog *log, enum mpsan_event_type type, uint32_t slot,
			 uint32_t tid, uint64_t time_ns, const void *payload, size_t bytes);
uint64_t watchlog_text(struct watchlog *log, uint32_t slot, const char *text);

/* Copies the stack of a thread blocked in a system call, and records its process's modules. */
uint64_t watchlog_stack(struct watchlog *log, const struct snapshot_thread *thread);
