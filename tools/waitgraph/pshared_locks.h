/*
 * Locks that several processes share: which object lies at an address of a process, who made it,
 * and who of all processes, living or dead, has a claim on it. Neighbours: reader.h has the events
 * and the logs, procmaps.h the mappings, cross_process.h draws the conclusions.
 */
#ifndef MPSAN_PSHARED_LOCKS_H
#define MPSAN_PSHARED_LOCKS_H

#include "../reader/reader.h"

/*
 * One object for all processes. Where neither an event nor /proc named its memory: device
 * SHARED_UNNAMED, the slot that made it, the address there.
 */
struct pshared_key {
	uint64_t device, inode, offset;
};
#define SHARED_UNNAMED UINT64_MAX

/* A claim of a thread, as its record says. Memory has not been asked. */
struct pshared_taker {
	uint32_t slot;
	uint32_t tid;
	uint64_t tag; /* MPSAN_TAG_WANTED: it waits */
	uint64_t caller; /* return address of the call that took it */
	bool gone; /* its process has ended */
	bool thread_gone; /* its process has not, the thread has */
};

struct shared;

/* `reader` must outlive it. */
struct shared *pshared_create(const struct reader *reader);
void pshared_destroy(struct shared *shared);

/* Before each look: takes in new events, forgets the mappings that were read for the last one. */
void pshared_begin(struct shared *shared);

/*
 * The object at an address of a process; false when it is private there or nobody knows. A forked
 * child inherits what its ancestors opened, up to an exec.
 */
bool pshared_find(struct shared *shared, uint32_t slot, uint64_t address, struct pshared_key *key);
bool pshared_same(const struct pshared_key *one, const struct pshared_key *other);

/*
 * The event that made the object, or the first that opened it; NULL: none. Its ev.value is the
 * semaphore's first value, UINT64_MAX: not known.
 */
const struct seen_share *pshared_made(const struct shared *shared, const struct pshared_key *key);

/* The object that the same process made as the next or (`by` negative) an earlier one. */
const struct seen_share *pshared_sibling(const struct shared *shared, const struct seen_share *made,
					 int by, struct pshared_key *key);

/*
 * Calls `see` for every claim on the object. A log that is being written may show a claim late. The
 * records are read once for all questions of a look.
 */
void pshared_takers(struct shared *shared, const struct pshared_key *key,
		    void (*see)(const struct pshared_taker *taker, void *context), void *context);

/* Calls `see` for every claim of a process on an object that an event has named. */
void pshared_claims_of(struct shared *shared, uint32_t slot,
		       void (*see)(const struct pshared_taker *taker, const struct pshared_key *key,
				   void *context),
		       void *context);

/*
 * Whether a living process may have a claim that pshared_takers() does not show: it has the object
 * mapped, or could have, and is not watched, or has no whole books. Reads all of /proc.
 */
bool pshared_has_strangers(struct shared *shared, const struct pshared_key *key);

#endif
