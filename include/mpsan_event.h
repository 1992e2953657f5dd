/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the rows of mpsan_events.def into numbers (EV_fork), structs (struct ev_fork) and tables of
 * names, and defines the values that fields take. mpsan_log.h has the record that carries an event.
 */
#ifndef MPSAN_EVENT_H
#define MPSAN_EVENT_H

#include <stdint.h>

#include "mpsan_log.h"

enum mpsan_event_type {
	EV_none,
#define FIELD(name, format)
#define EVENT(name, use, meaning, fields) EV_##name,
#define BLOB(name, meaning) EV_##name,
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD
	EV_COUNT
};

#define FIELD(name, format) uint64_t name;
#define EVENT(name, use, meaning, fields) \
	struct ev_##name {                \
		fields                    \
	};
#define BLOB(name, meaning)
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD

#define MPSAN_EXCEPTIONS 64u /* that one process records */

/* Why a wait is worth a record (ev_wait.reason). */
enum mpsan_wait_reason {
	MPSAN_WAIT_ORPHAN = 1, /* its owner is a thread that the fork did not copy */
	MPSAN_WAIT_OWN, /* its owner is this thread, under its TID from before the fork */
	MPSAN_WAIT_SELF, /* its owner is this thread */
	/* no other thread of the process could end it, and its memory is private */
	MPSAN_WAIT_ALONE,
	MPSAN_WAIT_TEAM, /* the fork did not copy the pool's threads (libgomp) */
	/* a libc function whose internal lock a thread may hold that was not copied */
	MPSAN_WAIT_INSIDE,
};

/* What a deadlock is (ev_deadlock.cause). */
enum mpsan_deadlock_cause {
	MPSAN_DEADLOCK_CYCLE = 1, /* owners wait for each other */
	MPSAN_DEADLOCK_DEAD_END, /* no thread is left that could end these waits */
	MPSAN_DEADLOCK_OWNER_GONE, /* the last thread that took the lock is dead */
	MPSAN_DEADLOCK_WAITER_GONE, /* the sleeper that should confirm a wakeup is dead */
	MPSAN_DEADLOCK_TASK_LOST, /* a pool worker died with its task */
	MPSAN_DEADLOCK_LONG, /* no proof: the wait lasts longer than --hang-after */
	/* no proof: the wait lasted when a signal from outside ended the program */
	MPSAN_DEADLOCK_LAST,
	/* the same, recorded in advance: counts if the supervisor does not live to record the end */
	MPSAN_DEADLOCK_DRAFT,
	MPSAN_DEADLOCK_RANKS, /* ranks of a job wait for others that will not come */
	MPSAN_DEADLOCK_RETRIES, /* no proof: a shell starts the same programs again and again, in vain */
};

/*
 * Whether an orphaned wait is a proof: nothing in its process could end it. Any thread may post a
 * semaphore or release a lock of Python's, also one that served as a lock so far, so the process must
 * have no other thread; else the supervisor may prove it, which sees what the others do. The same holds
 * for an import lock, whose owner is not known. A lock that the waiting thread itself took, and that served as
 * one before, is released by that thread alone.
 */
static inline int mpsan_wait_is_proof(const struct ev_wait *wait)
{
	if (wait->flags & MPSAN_LF_SIGNALS || wait->reason == MPSAN_WAIT_INSIDE)
		return 0;
	if (wait->reason == MPSAN_WAIT_ALONE || wait->reason == MPSAN_WAIT_TEAM)
		return 1;
	return (wait->kind != MPSAN_LOCK_SEMAPHORE && wait->kind != MPSAN_LOCK_IMPORT &&
		wait->kind != MPSAN_LOCK_PYTHON) ||
	       wait->threads == 1 ||
	       (wait->reason == MPSAN_WAIT_SELF && wait->flags & MPSAN_LF_MUTUAL);
}

/*
 * ev_order.gates_more: one bit for each further lock that was held, beyond the three that are
 * named.
 */
static inline uint64_t mpsan_gate_bit(uint64_t address)
{
	return 1ull << (address * 0x9e3779b97f4a7c15ull >> 58);
}

/* ev_fork.flags */
enum mpsan_fork_flags {
	MPSAN_FORK_TORCH = 1, /* libtorch was loaded */
	MPSAN_FORK_PYTHON = 2, /* the caller held the GIL */
	MPSAN_FORK_HANDLERS = 4, /* atfork handlers ran */
	MPSAN_FORK_FEEDER_BUSY = 8, /* a queue feeder held a private lock */
	MPSAN_FORK_PREEXEC = 16, /* subprocess with a preexec_fn: Python runs before the exec */
	MPSAN_FORK_IMPORTING = 32, /* the forking thread itself was importing a module */
};

/* ev_shm_map.device: the device in the lower bits, flags above. */
#define MPSAN_SHM_MAP_WRITABLE (1ull << 63)
/* recorded in a child: the mapping is older than its fork */
#define MPSAN_SHM_MAP_INHERITED (1ull << 62)
#define MPSAN_SHM_DEVICE(device) ((device) & ((1ull << 56) - 1))

/* What a process was started for, as far as its target shows (ev_process_name.work). */
enum mpsan_work {
	MPSAN_WORK_UNKNOWN,
	MPSAN_WORK_LOADER, /* a worker of PyTorch's DataLoader */
};

/* How a parent checks the ends of its workers (ev_exit_checked.how, and above the lowest bit of ev_reaped.taken). */
enum mpsan_exit_check {
	MPSAN_CHECKED_BY_HANDLER = 1, /* it has a handler for SIGCHLD */
	MPSAN_CHECKED_BY_POOL, /* an executor, which reports failures to those who ask for a result */
	MPSAN_CHECKED_BY_SOURCE, /* its code checks exit statuses */
	MPSAN_CHECKED_BY_TEST, /* it is a test, which has its own verdict */
};
#define MPSAN_TAKEN_CHECKED(how) ((uint64_t)(how) << 1)

#endif
