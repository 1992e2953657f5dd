/*
 * Who could end a wait that names no owner: the processes at the other end of a pipe, those that
 * map a piece of shared memory or may come to map it, signal handlers. To ask the kernel is dear, so answers are kept for
 * a while: good enough to see that somebody may still act. Before anybody is said to be lost, they
 * are fetched anew. Neighbours: waits.h asks, pipes.h and proc.h know.
 */
#ifndef MPSAN_WAKERS_H
#define MPSAN_WAKERS_H

#include "../proc/pipes.h"
#include "memory_reach.h"
#include "snapshot.h"

struct wakers {
	const struct snapshot *snapshot;
	struct pipes pipes;
	uint64_t pipes_ns; /* when they were scanned, 0: never */
	uint64_t pipes_due_ns; /* not before this time are they scanned again without need */
	bool blind; /* a process of the job could not be read */
	ARRAY(struct reach) memory;
};

/* At the beginning of a look. */
void wakers_begin(struct wakers *wakers, const struct snapshot *snapshot);
void wakers_finish(struct wakers *wakers);

/* What is done with an answer. */
struct wakers_eye {
	void (*see)(uint32_t process,
		    void *context); /* it could end the wait; index in the snapshot */
	void (*see_job)(void *context); /* any process of the job could */
	void *context;
};

/* Each returns false when somebody else could, too. */
bool wakers_of_pipe(struct wakers *wakers, struct snapshot_thread *thread, unsigned ends,
		    const struct wakers_eye *eye);
bool wakers_of_memory(struct wakers *wakers, const struct snapshot_thread *thread,
		      const struct wakers_eye *eye);
/* Before a proof: who does not map that memory, but may come to. */
bool wakers_of_memory_later(struct wakers *wakers, const struct snapshot_thread *thread,
			    const struct wakers_eye *eye);
/* Whether it is shared with processes whose TIDs mean others than ours. */
bool wakers_are_elsewhere(struct wakers *wakers, const struct snapshot_thread *thread);

/*
 * Finds out once, while a thread stands still: the pipe that it reads or writes; its memory. A FIFO
 * is no such pipe: anybody may open it at any time.
 */
bool wakers_find_pipe(struct snapshot_thread *thread);
bool wakers_find_memory(struct snapshot_thread *thread, uint64_t address);

/* Fetches anew what is older than this look; false: nothing was. */
bool wakers_refresh(struct wakers *wakers);

#endif
