/* SPDX-License-Identifier: Apache-2.0 */
/* Checks claims against memory: does this lock's memory say that this thread holds it? */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../common/cpython/lock.h"

#define CLAIMS_LEFT 1000u /* of one fork */

/* A copy of a claim, outside of its thread's list. */
struct claim {
	uint64_t tag;
	uint64_t caller;
	uint64_t held; /* position of its `held` event in the log of held_slot, if there is one */
	uint32_t held_slot;
	uint32_t tid; /* of the holder */
	/* enum mpsan_lock_flags: properties of the lock; VERIFIED: confirmed by memory */
	uint32_t flags;
	uint64_t object; /* Python's, which has this semaphore or PyMutex; 0: unknown */
	struct cpython_lock_object before; /* that object, at the fork */
	struct mpsan_thread *holder; /* its record; only in the process that took the claim */
};

static inline const void *claim_lock(const struct claim *claim)
{
	return (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(claim->tag);
}

/*
 * Sets the flags of each claim from memory. Locks are read in batches, since one system call costs
 * as much as everything else here; claims that cannot be read count as false, and are counted.
 */
void claims_verify(struct claim *claim, uint32_t count);

/*
 * Whether the static of this guard is being constructed. Its first byte says that it is constructed
 * (Itanium C++ ABI, 3.3.3), the second that construction is in progress (libstdc++:
 * libsupc++/guard.cc; libc++abi: cxa_guard_impl.h).
 */
static inline bool claim_guard_open(const void *guard)
{
	const uint8_t *byte = guard;

	return !byte[0] && byte[1];
}

/*
 * Properties of a mutex from its kind word (struct __pthread_mutex_s.__kind, glibc
 * bits/struct_mutex.h).
 */
uint32_t claim_mutex_flags(int kind);
