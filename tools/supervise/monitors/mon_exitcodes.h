/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the parent of a worker looks at its exit status. The calls of a Python program do not
 * show that: join() reaps the child in any case, and exitcode is an attribute. Its source does.
 * Neighbours: worker_table.h; the rule worker-failed judges.
 */
#ifndef MPSAN_MON_EXITCODES_H
#define MPSAN_MON_EXITCODES_H

#include "../../waits/watchlog.h"
#include "worker_table.h"

struct mon_exitcodes {
	const struct workers *workers;
	bool *done; /* by slot */
};

void mon_exitcodes_init(struct mon_exitcodes *mon_exitcodes, const struct workers *workers);
/*
 * Records a `heeded` event about each worker that was ended by a signal and whose parent looks at
 * exit statuses.
 */
void mon_exitcodes_look(struct mon_exitcodes *mon_exitcodes, struct watchlog *log);
/* Records such events for workers whose parents ended before they could be examined. */
void mon_exitcodes_finish(struct mon_exitcodes *mon_exitcodes, struct watchlog *log);

/*
 * Whether Python source code uses the exit status of a process (MPSAN_HEED_SOURCE), or is a test
 * (MPSAN_HEED_TEST). 0: neither.
 */
unsigned mon_exitcodes_in_source(const char *text);

#endif
