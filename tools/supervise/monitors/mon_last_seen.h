/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Until when each process that shares device memory was alive. What it had open when another
 * process freed it is known only up to then, in a later report, too. Neighbours: ../facts/ipc.c
 * asks; the reader has the time of the running session.
 */
#pragma once

#include "../../waits/watchlog.h"

struct mon_last_seen {
	const struct reader *reader;
	bool *recorded; /* by slot */
};

void mon_last_seen_init(struct mon_last_seen *mon_last_seen, const struct reader *reader);
/* Records a `last_seen` event about each process that has ended since. */
void mon_last_seen_look(struct mon_last_seen *mon_last_seen, struct watchlog *log);
/* The same for those that live. */
void mon_last_seen_finish(struct mon_last_seen *mon_last_seen, struct watchlog *log);
