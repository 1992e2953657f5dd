/*
 * Turns the rows of mpsan_events.def into ids (EV_fork), structs (struct ev_fork) and, for whoever
 * wants them, tables of names. Neighbours: mpsan_log.h has the record that carries an event.
 */
#ifndef MPSAN_EVENT_H
#define MPSAN_EVENT_H

#include <stdint.h>

#include "mpsan_log.h"

enum mpsan_event_type {
	EV_none,
#define FIELD(name, format)
#define EVENT(name, meaning, fields) EV_##name,
#define BLOB(name, meaning) EV_##name,
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD
	EV_COUNT
};

#define FIELD(name, format) uint64_t name;
#define EVENT(name, meaning, fields) \
	struct ev_##name {           \
		fields               \
	};
#define BLOB(name, meaning)
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD

/* Why a wait is worth a record (ev_wait.reason). */
enum mpsan_wait_reason {
	MPSAN_WAIT_ORPHAN = 1, /* its owner is a thread that the fork left behind */
	MPSAN_WAIT_OWN, /* its owner is this very thread under its TID from before the fork */
	MPSAN_WAIT_SELF, /* its owner is this very thread */
};

/*
 * Whether an orphaned wait is a proof: nothing in its process could end it. Anybody may post a
 * semaphore, so it must have served as a lock, or there is no other thread.
 */
static inline int mpsan_wait_is_proof(const struct ev_wait *wait)
{
	if (wait->flags & MPSAN_LF_SIGNALS)
		return 0;
	return wait->kind != MPSAN_LOCK_SEMAPHORE || wait->flags & MPSAN_LF_MUTUAL ||
	       wait->threads == 1;
}

/* ev_fork.flags */
enum mpsan_fork_flags {
	MPSAN_FORK_TORCH = 1, /* libtorch was loaded */
	MPSAN_FORK_PYTHON = 2, /* the caller held the GIL */
	MPSAN_FORK_HANDLERS = 4, /* atfork handlers ran */
	MPSAN_FORK_FEEDER_BUSY = 8, /* a queue feeder held a private lock */
};

#endif
