/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines processes that were started without the library: takes snapshots until what stands still
 * is proved, and judges. Nothing is stopped, and nothing is written into them. Neighbours: target.h
 * has the processes, ../waitgraph/deadlocks.h proves.
 */
#pragma once

#include "../findings/judge.h"
#include "../waitgraph/deadlocks.h"
#include "target.h"

struct attach {
	struct target *target;
	struct judge *judge;
	unsigned hang_after; /* seconds; 0: never */
	uint64_t until_ns; /* of CLOCK_MONOTONIC; UINT64_MAX: until all have ended */
	/* called after each look; may be NULL */
	void (*say)(struct attach *attach, struct deadlocks *deadlocks);
	/* called after the last one, while what it found is there */
	void (*conclude)(struct attach *attach, struct deadlocks *deadlocks);
	void *context;
	uint64_t took_ns; /* the longest look until now; to conclude takes about as long */
	uint32_t refused; /* processes for which the session had no room */
};

/*
 * For commands that show a session: makes a private one of the job that a process belongs to, or (`whole`
 * false) of the process and its descendants, unless it runs under mpsan and has one (`own` false). Returns its directory, which attach_discard frees, and
 * removes if it is private; NULL after an error line that begins with `command`.
 */
char *attach_session(const char *command, uint32_t pid, bool whole, bool *own);
void attach_discard(char *dir, bool own);

/* Why nothing can be read of a target, with the cure; NULL: something can. The caller frees it. */
char *attach_refusal(const struct target *target);

/* Looks until then, or until no process is left, and ends the session. */
void attach_run(struct attach *attach);
