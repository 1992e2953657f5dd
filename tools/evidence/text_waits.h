/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread waits for, as the programmer knows it: "an item of a queue.Queue", "the end of a
 * thread". Findings, `mpsan ps` and `mpsan top` use it. Neighbours: ../facts/awaited.h reads Python
 * frames, text_locks.h names locks.
 */
#pragma once

#include "../facts/awaited.h"
#include "callsite.h"
#include "text_locks.h"

/* A wait as an event or a snapshot has it. */
struct wait_ref {
	struct lock_ref lock; /* for the end of a process, its PID is the address */
	json_t *python; /* frames of the waiter; borrowed, may be NULL */
	bool owned; /* it is known who holds the lock */
	const char *call; /* its system call as text; may be NULL */
};

/* The phrase; the caller frees it. */
char *wait_text(const struct reader *reader, struct frames *frames, const struct wait_ref *wait);

/* What the frames say that it waits for, as far as the phrase rests on that. */
enum awaited wait_awaited(const struct wait_ref *wait);

/* Whether the wait is for the end of a thread: then its owner is that thread. */
bool wait_is_join(const struct wait_ref *wait);

/* What the frames of a stack say that it waits for by a futex. */
struct native_wait {
	const char *function, *phrase, *fix;
};

/* NULL: no row. */
const struct native_wait *native_wait(const json_t *native);

/*
 * "2 workers of ThreadPoolExecutor-0": pools whose workers wait for results inside their tasks; "" if there are none. The caller
 * frees it.
 */
char *pools_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);
