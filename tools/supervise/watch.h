/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor of `mpsan run`: follows a session while its program runs and prints what is
 * proved. Neighbours: launch.h starts the program, judge.h judges.
 */
#pragma once

#include <sys/types.h>

#include "../findings/judge.h"
#include "../reader/export_table.h"
#include "../report/report.h"
#include "../waitgraph/deadlocks.h"
#include "interim.h"
#include "monitors/worker_monitors.h"

enum on_deadlock {
	ON_DEADLOCK_REPORT,
	ON_DEADLOCK_KILL, /* if nothing but the end of the process ends it */
	ON_DEADLOCK_KILL_HOPELESS, /* also if a time limit or a handler could */
};

struct watch {
	struct judge *judge;
	enum on_deadlock on_deadlock;
	int kill_status; /* the exit status in that case */
	unsigned hang_after; /* seconds; 0: never */
	bool forks_only; /* looks at no process, but reads what they record */
	struct text_view view; /* for findings that are printed at once */
	struct deadlocks deadlocks;
	struct monitors monitors;
	struct exports exports;
	struct interim interim;
	pid_t child;
	bool print; /* print findings to standard error at once */
	bool terminal; /* and the rest of the report after them */
	bool said, said_warning; /* the first error was printed, the first warning of a hang */
	bool unlogged; /* that a process cannot write a log was printed */
	bool over; /* the program has ended; other processes may remain */
	bool killed; /* by --on-deadlock=kill */
	bool hushed; /* for the judge's `hushed_wait`, so the exit status is its own */
	/* no more snapshots: CPU time is short, or the session was truncated or removed */
	bool blind;
	bool cut; /* session files were truncated */
	int status; /* of the child, from waitpid */
};

/* Returns when the program has ended (not its daemons) and everything was read and judged. */
void watch_run(struct watch *watch);

/* The exit status of an ended program for the shell; 0: success. */
int watch_status(const struct watch *watch);
