/* SPDX-License-Identifier: Apache-2.0 */
/* What is true of every wait of a kind (waits.def). Neighbour: awaited.h, what the frames of Python call it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/* How the detail of a wait begins if its thread is stopped. */
#define WAIT_STOPPED "SIGCONT"

enum wait_act {
	ACT_NONE,
	ACT_RELEASE,
	ACT_POST,
	ACT_MEET,
	ACT_END,
	ACT_WRITE,
	ACT_READ,
	ACT_ACCEPT
};
enum wait_between { BETWEEN_NOTHING, BETWEEN_RELEASE, BETWEEN_SEND };
enum wait_flow { FLOW_NO, FLOW_READS, FLOW_WRITES };
enum wait_told { TOLD_NO, TOLD_IS, TOLD_IN };

/* How a wait looks in a program that may be idle on purpose; ../rules/parked.h decides. */
enum parked_wait {
	PARKED_BY_CALL, /* Python's frames leave it to the call */
	PARKED_BLOCKED, /* busy: for a lock, room in a pipe, peers, an answer, its own input */
	PARKED_MEETS, /* for peers at a barrier: busy, unless it is alone */
	PARKED_JOINS, /* for the end of a thread or process, or of a task that a thread runs */
	PARKED_IDLE, /* idle: for work, a signal, an item */
	/* a main thread that waits for an event of its own: until it is interrupted */
	PARKED_INTENDED,
};

struct wait_kind {
	const char *name; /* as in enum mpsan_lock_kind */
	enum wait_act act;
	enum wait_between between;
	enum wait_flow flow;
	bool driver;
	enum parked_wait meant;
	enum wait_told call; /* where the text of its system call stands */
	const char *phrase; /* "it waits for …"; NULL: an object in memory */
};

/* Of any number, also one that no version knows: that of MPSAN_LOCK_NONE. */
const struct wait_kind *wait_kind(uint64_t kind);

static inline bool wait_kind_reads(uint64_t kind)
{
	return wait_kind(kind)->flow == FLOW_READS;
}

/* Whether a post to an object in memory ends it. */
static inline bool wait_kind_is_posted(uint64_t kind)
{
	return wait_kind(kind)->act == ACT_POST && !wait_kind(kind)->phrase;
}

static inline bool wait_kind_writes(uint64_t kind)
{
	return wait_kind(kind)->flow == FLOW_WRITES;
}

/* Whether it ends only by what a certain owner, thread, process or reader does: nothing that is sent ends it. */
static inline bool wait_kind_needs_owner(uint64_t kind)
{
	return wait_kind(kind)->between != BETWEEN_SEND;
}
