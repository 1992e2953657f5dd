/*
 * What people call locks and threads. Neighbours: frames.h names code, evidence.h asks for names.
 */
#ifndef MPSAN_TEXT_LOCKS_H
#define MPSAN_TEXT_LOCKS_H

#include "../symbols/frames.h"

/* A lock as an event mentions it. */
struct lock_ref {
	const struct fact_place *at;
	const struct fact_held *held; /* NULL: its hold was not recorded */
	uint64_t address;
	uint64_t kind;
	uint64_t flags;
	json_t *native; /* frames of who waits for it or holds it; borrowed, may be NULL */
};

/* How a lock is called in a sentence: `mutex "g_lock"`. Owned by the caller. */
char *lock_text(const struct reader *reader, struct frames *frames, const struct lock_ref *lock);

/*
 * Its name alone, without an address: for fingerprints and suppressions. Owned by the caller, ""
 * for none.
 */
char *lock_key(const struct reader *reader, struct frames *frames, const struct lock_ref *lock);

const char *lock_kind_text(uint64_t kind);
const char *how_text(uint64_t how);

/*
 * The name of the thread that had this TID at that time: its own, else that of the function that
 * it was started with. Owned by the caller.
 */
char *thread_text(const struct reader *reader, struct frames *frames, uint32_t slot, uint32_t tid,
		  uint64_t time_ns);

/* The other threads that lived at a fork, with where each was created; the caller owns it. */
char *threads_text(const struct reader *reader, struct frames *frames,
		   const struct fact_fork *fork);

#endif
