/*
 * The supervisor of `mpsan run`: follows a session while its program runs and prints what is
 * proved. Neighbours: launch.h started the program, judge.h judges.
 */
#ifndef MPSAN_WATCH_H
#define MPSAN_WATCH_H

#include <sys/types.h>

#include "../findings/judge.h"
#include "../reader/export_table.h"
#include "../report/report.h"
#include "../waitgraph/deadlocks.h"
#include "worker_monitors.h"

struct watch {
	struct judge *judge;
	bool kill_on_deadlock; /* asked for */
	int kill_status; /* what the shell is told then */
	unsigned hang_after; /* seconds; 0: never */
	struct text_view view; /* of findings that are printed as they come */
	struct deadlocks deadlocks;
	struct monitors monitors;
	struct exports exports;
	pid_t child;
	bool print; /* findings go to standard error as they come */
	bool terminal; /* and the rest of the report behind them */
	bool said; /* the line at the first error */
	bool unlogged; /* that a process can write no log was said */
	bool over; /* the program has ended; some of its processes may still be there */
	bool killed; /* by --on-deadlock=kill */
	/* nobody looks any more: too little time of a processor is left, or the session was cut */
	bool blind;
	bool cut; /* files of the session were cut short */
	int status; /* of the child, as waitpid gives it */
};

/* Returns when the program has ended (not its daemons), with everything read and judged. */
void watch_run(struct watch *watch);

/* For the shell, of a program that has ended; 0: it succeeded. */
int watch_status(const struct watch *watch);

#endif
