/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that an ended process served, and that nobody asks for: no process can read the pipe any more into which it
 * wrote where to fetch them. Neighbours: ../proc/pipes.h; the rule shm-sender-exited asks.
 */
#pragma once

#include "../../waits/watchlog.h"

struct mon_unread {
	const struct snapshot *snapshot;
	bool *recorded; /* by slot */
	uint64_t next_ns, interval_ns; /* of the walk over all descriptors */
};

void mon_unread_init(struct mon_unread *unread, const struct snapshot *snapshot);
/* Records an `unread` event about each such process, as soon as that is seen. */
void mon_unread_look(struct mon_unread *unread, struct watchlog *log);
void mon_unread_finish(struct mon_unread *unread);
