/*
 * Whether who started a worker looks at how it ended. Of that nothing is seen in the calls of a Python program: a join
 * takes the status in any case, and exitcode is an attribute. Its source tells. Neighbours: worker table.h; the rule
 * worker-failed judges.
 */
#ifndef MPSAN_MON_EXITCODES_H
#define MPSAN_MON_EXITCODES_H

#include "../waitgraph/watchlog.h"
#include "worker_table.h"

struct mon_exitcodes {
	const struct workers *workers;
	bool *done; /* by slot */
};

void mon_exitcodes_init(struct mon_exitcodes *mon_exitcodes, const struct workers *workers);
/* States a `heeded` event about each worker that a signal ended and whose parent looks at such ends. */
void mon_exitcodes_look(struct mon_exitcodes *mon_exitcodes, struct watchlog *log);
/* The same of those whose parents ended too soon. */
void mon_exitcodes_finish(struct mon_exitcodes *mon_exitcodes, struct watchlog *log);

/*
 * Whether a Python source, or a part of one, asks for the exit status of a process and does something with it
 * (MPSAN_HEED_SOURCE), or is a test (MPSAN_HEED_TEST). 0: neither.
 */
unsigned mon_exitcodes_in_source(const char *text);

#endif
