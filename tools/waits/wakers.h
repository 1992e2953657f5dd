/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who could end a wait that names no owner: processes at the other end of a pipe, processes that
 * map the shared memory or could map it, signal handlers. Kernel queries are expensive; answers are
 * cached, and read again before a verdict: stale data may only clear a thread, never convict one.
 * Neighbours: waits.h calls, pipes.h and proc.h ask the kernel.
 */
#pragma once

#include "../proc/pipes.h"
#include "memory/memory_reach.h"
#include "ready_sets.h"
#include "snapshot.h"

struct wakers {
	const struct snapshot *snapshot;
	struct pipes pipes;
	uint64_t pipes_ns; /* when they were scanned; 0: never */
	uint64_t pipes_due_ns; /* when an optional scan is due again */
	bool blind; /* a process of the job could not be read */
	ARRAY(struct reach) memory;
	struct ready_sets ready;
};

/* Call it at the beginning of a snapshot. */
void wakers_begin(struct wakers *wakers, const struct snapshot *snapshot);
void wakers_finish(struct wakers *wakers);

/* Callbacks for the answers. */
struct wakers_eye {
	void (*see)(uint32_t process,
		    void *context); /* it could end the wait; index in the snapshot */
	void (*see_job)(void *context); /* any process of the job could */
	void *context;
};

/* These return false if a process outside the session could, too. */
bool wakers_of_pipe(struct wakers *wakers, const struct snapshot_thread *thread,
		    const struct pipe_id *id, unsigned ends, const struct wakers_eye *eye);
bool wakers_of_memory(struct wakers *wakers, const struct snapshot_thread *thread,
		      const struct wakers_eye *eye);
/* Before a verdict: processes that do not map that memory but could. */
bool wakers_of_memory_later(struct wakers *wakers, const struct snapshot_thread *thread,
			    const struct wakers_eye *eye);
/* Whether a process that knows nothing of the job may open that memory, by the path of a file. */
bool wakers_have_path(const struct snapshot_thread *thread);
/* Whether it is shared by processes of several PID namespaces, which count TIDs differently. */
bool wakers_are_scattered(struct wakers *wakers, const struct snapshot_thread *thread);

/* Finds, once per wait, the memory in which a thread waits. */
bool wakers_find_memory(struct snapshot_thread *thread, uint64_t address);

/* Reads again what is older than this snapshot. */
void wakers_refresh(struct wakers *wakers);
