/*
 * One thread under consideration: the parts of waits.c. Neighbours: waits.h is for everybody else.
 */
#ifndef MPSAN_WAITS_LOOK_H
#define MPSAN_WAITS_LOOK_H

#include "waits.h"

struct look {
	struct waits *waits;
	const struct snapshot *snapshot;
	struct snapshot_thread *thread;
	struct wait *wait;
};

/* Adds a thread or process, by index, to those who could end the wait. */
void look_add(struct look *look, uint32_t index);

/* Makes the list of a wait the last one again, so that it can grow. */
void look_reopen(struct look *look);

/* The wait ends by this thread; by any of this process; by anybody who has the memory there. */
void look_by_owner(struct look *look, uint32_t thread);
void look_by_process(struct look *look, uint32_t process);
void look_by_anybody(struct look *look, uint64_t address);

/* What `look` does with those who could end its wait. */
struct wakers_eye look_eye(struct look *look);

/* Whether the awaited word lies in an object of so many bytes. */
static inline bool look_lies_in(uint64_t word, uint64_t object, size_t bytes)
{
	return word >= object && word - object < bytes;
}

/* waits_memory.c: whether it is a helper of the job at rest, until it is asked for something. */
bool look_serves(const struct look *look);

/* waits_lock.c: who has a lock, by its memory. False: what lies there is no mutex that is held. */
bool look_at_mutex(struct look *look, uint64_t address);
void look_at_rwlock(struct look *look, uint64_t address);
void look_at_semaphore(struct look *look, uint64_t address, uint64_t tag);

#endif
