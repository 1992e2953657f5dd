/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that are examined from outside: trees of processes that were started without the
 * library. Neighbours: attach.h examines them, ../waits/outside.h reads their threads.
 */
#pragma once

#include <stdbool.h>

#include "../base/util.h"
#include "../reader/session.h"
#include "../waits/watchlog.h"

struct target_process {
	uint32_t pid, parent; /* parent: PID */
	uint64_t start; /* in ticks since boot */
	uint64_t stack; /* see proc_stat */
	bool forked; /* see proc_stat */
	bool member; /* of the trees that are examined */
	bool hidden; /* it may not be traced */
	bool ended; /* a zombie: its parent has not waited for it */
	uint32_t slot; /* in the session, + 1; 0: not entered (yet) */
	uint32_t replaced; /* the slot of the program before an exec, + 1; 0: none */
};

struct target {
	ARRAY(struct target_process) there; /* all processes of the machine, by PID */
	ARRAY(uint32_t) roots; /* PIDs */
	bool whole; /* jobs, not what was named and its descendants: our own pipeline is no part of them */
};

/* As of the last list; NULL: there is none. */
struct target_process *target_find(const struct target *target, uint32_t pid);

/*
 * Adds the tree that a process belongs to, up to the top of its job (job.h); `whole` false: only the
 * process and its descendants. False: there is no such process.
 */
bool target_add(struct target *target, uint32_t pid, bool whole);
/* Adds the trees of all processes whose command line contains `name`; returns how many processes match. */
unsigned target_add_named(struct target *target, const char *name, bool whole);

/* Lists the processes again, and marks the members. Returns their number. */
uint32_t target_look(struct target *target);

/*
 * Enters members that are not yet in the session's table, parents first, and records in the log where
 * they were forked; those that have just begun may run Python by now. A program after an exec has a slot
 * of its own. Returns how many found no room.
 */
uint32_t target_enter(struct target *target, struct session *session, struct watchlog *log);

void target_finish(struct target *target);
