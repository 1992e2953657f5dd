/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a dead end is intended: threads that no thread of the job can wake, because only a signal
 * from outside (Ctrl-C, a service manager) was ever to end them. What distinguishes them from a
 * lost sentinel is whether any thread was ever meant to wake them; see
 * shim/decisions/0007-when-idle-is-meant.md. Pure: the supervisor fills in what it saw.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../facts/awaited.h"

#define PARKED_NONE UINT32_MAX

/* What is known of a wait. */
struct parked_seen {
	struct awaited_frames frames;
	enum parked_wait call; /* as it looks by its call */
	bool by_owner; /* whoever could end it is known by name */
	bool is_main;
	bool guards; /* its semaphore guards something: a task has to come to an end */
};

/* INTENDED only for a main thread. */
enum parked_wait parked_part(const struct parked_seen *seen);

/* One thread of a dead end. */
struct parked_thread {
	enum parked_wait wait;
	uint32_t process; /* the same for all threads of a process */
	/* the process that created that one; PARKED_NONE: it is not in the dead end */
	uint32_t parent;
	bool is_main;
	/* of Python's helper processes (the resource tracker): no thread waits for it */
	bool is_helper;
	bool was_sent; /* it received something this way before */
	bool sender_ended; /* a thread or process that could have sent has ended */
	bool setter_ended; /* of an INTENDED one: whoever was to set the event has failed, and nobody is left who could */
	bool no_keyboard; /* its process ignores SIGINT, as what a shell starts in the background */
	bool only_ends; /* its process has no interpreter and handles no signal: none could make a thread go on */
	/* For PARKED_JOINS: */
	/* the thread that is joined, as an index; PARKED_NONE: unknown, or it is a process */
	uint32_t thread;
	bool of_process; /* a child, any of them: all are waited for in the end */
	bool of_tasks; /* the threads whose `awaited_by` is this one */
	/*
	 * For any: the thread that waits for the result of its task, as an index; PARKED_NONE:
	 * none.
	 */
	uint32_t awaited_by;
};

/*
 * True if no thread is busy, and every thread that is waited for (by the first processes of the
 * dead end, and by those whose end they wait for) is idle and was never sent anything. A joined thread
 * of a process that only ends is never meant, nor an event whose setter has ended. `wanted` is scratch space, one entry for
 * each thread.
 */
bool parked_is_meant(const struct parked_thread *thread, uint32_t count, bool *wanted);

/*
 * Whether Ctrl-C could end a dead end that is meant: false if all of its first processes ignore it. Then only whoever
 * knows of the job could end it, if he thinks of it.
 */
bool parked_has_keyboard(const struct parked_thread *thread, uint32_t count);

/*
 * Whether who waits for a futex destroys a condition variable for which another thread waits: pthread_cond_destroy()
 * returns when no thread does any more. Nobody parks there.
 */
static inline bool parked_destroys(uint64_t kind, uint64_t word, uint64_t other_kind,
				   uint64_t condition)
{
	return kind == MPSAN_WAIT_FUTEX && other_kind == MPSAN_WAIT_COND &&
	       word - condition == offsetof(pthread_cond_t, __data.__wrefs);
}
