/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process-shared locks: which object is at an address of a process, who created it, and which
 * processes, living or dead, have a claim on it. Neighbours: reader.h has the events and logs,
 * procmaps.h the mappings, cross_process.h draws the conclusions.
 */
#pragma once

#include "../reader/reader.h"

/*
 * Identifies an object in all processes. If neither an event nor /proc named its memory: device
 * SHARED_UNNAMED, the slot that created it, the address there.
 */
struct pshared_key {
	uint64_t device, inode, offset;
};
#define SHARED_UNNAMED UINT64_MAX

/* A thread's claim, from its record. Not verified in memory. */
struct pshared_taker {
	uint32_t slot;
	uint32_t tid;
	uint64_t tag; /* MPSAN_TAG_WANTED: a waiter */
	uint64_t caller; /* return address of the acquiring call */
	bool gone; /* its process has ended */
};

struct shared;

/* `reader` must outlive it. */
struct shared *pshared_create(const struct reader *reader);
void pshared_destroy(struct shared *shared);

/* Call it before each snapshot: reads new events and forgets cached mappings. */
void pshared_begin(struct shared *shared);

/*
 * Finds the object at an address of a process; false if the address is private or unknown. A forked
 * child inherits what its ancestors opened, until it execs.
 */
bool pshared_find(struct shared *shared, uint32_t slot, uint64_t address, struct pshared_key *key);
/* Where a living process has the object mapped; 0: nowhere, or it is not known. */
uint64_t pshared_address(struct shared *shared, uint32_t slot, const struct pshared_key *key);
bool pshared_same(const struct pshared_key *one, const struct pshared_key *other);

/*
 * The event that created the object, or the first that opened it; NULL: none. Its ev.value is the
 * semaphore's initial value; UINT64_MAX: unknown.
 */
const struct seen_share *pshared_made(const struct shared *shared, const struct pshared_key *key);
/* The value with which a semaphore at an address of a process was made; UINT64_MAX: unknown. */
uint64_t pshared_first(struct shared *shared, uint32_t slot, uint64_t address);

/* The object that the same process created next or, with negative `by`, earlier. */
const struct seen_share *pshared_sibling(const struct shared *shared, const struct seen_share *made,
					 int by, struct pshared_key *key);

/*
 * Calls `see` for every claim on the object. A log that is being written may show a claim late. The
 * records are read once per snapshot.
 */
void pshared_takers(struct shared *shared, const struct pshared_key *key,
		    void (*see)(const struct pshared_taker *taker, void *context), void *context);

/* Calls `see` for every claim of a process on an object that an event identifies. */
void pshared_claims_of(struct shared *shared, uint32_t slot,
		       void (*see)(const struct pshared_taker *taker, const struct pshared_key *key,
				   void *context),
		       void *context);

/*
 * Whether a living process may have a claim that pshared_takers() does not show: it has the object
 * mapped, or could have, and is not watched, or its log is incomplete. Reads all of /proc.
 */
bool pshared_has_strangers(struct shared *shared, const struct pshared_key *key);
