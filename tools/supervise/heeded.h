/*
 * Whether who started a worker looks at how it ended. Of that nothing is seen in the calls of a Python program: a join
 * takes the status in any case, and exitcode is an attribute. Its source tells. Neighbours: crowd.h; the rule
 * worker-failed judges.
 */
#ifndef MPSAN_HEEDED_H
#define MPSAN_HEEDED_H

#include "crowd.h"
#include "../waitgraph/watchlog.h"

struct heeded {
	const struct crowd *crowd;
	bool *done; /* by slot */
};

void heeded_init(struct heeded *heeded, const struct crowd *crowd);
/* States a `heeded` event about each worker that a signal ended and whose parent looks at such ends. */
void heeded_look(struct heeded *heeded, struct watchlog *log);
/* The same of those whose parents ended too soon. */
void heeded_finish(struct heeded *heeded, struct watchlog *log);

/*
 * Whether a Python source, or a part of one, asks for the exit status of a process and does something with it
 * (MPSAN_HEED_SOURCE), or is a test (MPSAN_HEED_TEST). 0: neither.
 */
unsigned heeded_in_source(const char *text);

#endif
