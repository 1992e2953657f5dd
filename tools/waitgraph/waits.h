/*
 * What each thread of a snapshot waits for, and who could end that wait. Whatever is not understood,
 * has a time limit, or could be ended from outside counts as open: it is never part of a proof.
 * Neighbours: snapshot.h has the threads, graph.h finds those that nobody can help.
 */
#ifndef MPSAN_WAITS_H
#define MPSAN_WAITS_H

#include "wakers.h"

enum wait_end {
	WAIT_OPEN, /* runs, or somebody whom the graph does not know may end it */
	WAIT_OWNERS, /* each of these threads must let go */
	WAIT_PROCESSES, /* any thread of any of these processes may end it */
	WAIT_NOBODY, /* its owner is gone */
};

struct wait {
	enum wait_end end;
	uint32_t begin, count; /* into waits.who: threads or processes of the snapshot, by index */
	uint64_t kind; /* enum mpsan_lock_kind */
	uint64_t lock; /* address, pid or inode */
	uint64_t caller; /* return address of the waiting call, 0: not known */
	uint64_t flags; /* enum mpsan_lock_flags */
	bool timed;
	bool handlers_known;
	bool memory; /* it lies in shared memory: who maps that could end it */
	bool memory_known; /* who else may come to that memory was asked */
	bool by_job; /* so may every process of the job */
	bool serves; /* open, but asked for: a helper of the job, that acts for others alone */
	bool interruptible; /* an interrupt from the keyboard (SIGINT) would run a handler */
	uint32_t
		holder; /* thread that claims what anybody may give back, SNAPSHOT_NONE: not known */
	uint32_t gone; /* TID of an owner that is gone */
	uint32_t gone_slot; /* its process as slot + 1, 0: not known */
	uint64_t
		/* return address of the call with which the gone one took it, 0: not known */
		taken;
};

struct waits {
	struct snapshot *snapshot;
	struct wakers wakers;
	ARRAY(struct wait) item; /* one for each thread of the snapshot */
	ARRAY(uint32_t) who;
};

/*
 * Finds all waits. What is dear to know may be some seconds old, and signal handlers are not looked
 * at: that makes a wait look more lost than it is, never less.
 */
void waits_find(struct waits *waits, struct snapshot *snapshot);
void waits_finish(struct waits *waits);

/*
 * Before a thread is said to be lost: whether it was merely stopped, by a signal or a debugger, or a
 * signal handler could end its wait, which is open then. True when that changed something.
 */
bool waits_check_handlers(struct waits *waits, uint32_t thread);
/* The same for shared memory: whether somebody who does not map it yet could come to end the wait. */
bool waits_check_memory(struct waits *waits, uint32_t thread);
/*
 * The last question: whether it has run, or was woken, while the others were asked, by one who is gone
 * since. Only those who wait for Python's GIL may run all the time.
 */
bool waits_check_moved(struct waits *waits, uint32_t thread);

#endif
