/*
 * Threads of a session: a TID is given out again and again, so a thread is known by its TID and its
 * start. Neighbours: collect.c hands over what logs say of them, names.h makes text of it.
 */
#ifndef MPSAN_THREADS_H
#define MPSAN_THREADS_H

#include "reader.h"

/* Takes a record that is about a thread; false: it is about something else. */
bool threads_collect(struct reader *reader, const struct record *record);

/* The supervisor found a name. It is that of the newest thread of that TID. */
void threads_named(struct reader *reader, const struct fact_place *at, uint64_t name);

/* Who had the TID at that time; NULL: its start was not seen. */
const struct seen_thread *threads_at(const struct reader *reader, uint32_t slot, uint32_t tid,
				     uint64_t time_ns);

/* What it was called at that time, else at first; NULL: not known. Borrowed. */
const char *threads_name(const struct reader *reader, uint32_t slot, uint32_t tid,
			 uint64_t time_ns);

/*
 * Whether it had started before that fork of its process and had not come to its end; not the
 * forking one.
 */
bool threads_lives(const struct seen_thread *thread, const struct fact_fork *fork);

#endif
