/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a session: TIDs are reused, so a thread is identified by its TID and start.
 * Neighbours: collect.c passes records, text_locks.h formats names.
 */
#pragma once

#include "reader.h"

/* Takes a record about a thread; false: it is about something else. */
bool threads_collect(struct reader *reader, const struct record *record);

/* The supervisor found a name, of the newest thread with that TID. */
void threads_named(struct reader *reader, const struct fact_place *at, uint64_t name);

/* The thread with that TID at that time; NULL: its start was not seen. */
const struct fact_thread *threads_at(const struct reader *reader, uint32_t slot, uint32_t tid,
				     uint64_t time_ns);

/* Its name at that time, else its first; NULL: unknown. Borrowed. */
const char *threads_name(const struct reader *reader, uint32_t slot, uint32_t tid,
			 uint64_t time_ns);

/*
 * What a thread writes of itself while it runs, in the log of its process, even if it has ended: the record at a
 * place of the index there, below MPSAN_THREADS, and that of a TID. NULL: none, or reused by another thread.
 */
const struct mpsan_thread *threads_record_at(const struct reader *reader, uint32_t slot,
					     uint32_t place);
const struct mpsan_thread *threads_record(const struct reader *reader, uint32_t slot, uint32_t tid);

/* Its newest claim if it is a wait; 0: none. The record may be NULL. */
struct mpsan_hold threads_record_wanted(const struct mpsan_thread *record);
/* Whether it claims the lock; its claim in `hold`. */
bool threads_record_holds(const struct mpsan_thread *record, uint64_t lock,
			  struct mpsan_hold *hold);

/* Whether it was alive at that fork of its process, and is not the forking thread. */
bool threads_lives(const struct fact_thread *thread, const struct fact_fork *fork);
