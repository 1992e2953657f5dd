/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor observes of workers as a group, in each snapshot: CPU load, affinity, copied
 * memory, unnoticed failures, and until when each was alive. Neighbours: watch.h calls, deadlocks.h takes the snapshot.
 */
#pragma once

#include "../../waitgraph/deadlocks.h"
#include "mon_affinity.h"
#include "mon_cow.h"
#include "mon_cpu.h"
#include "mon_failures.h"
#include "mon_last_seen.h"
#include "mon_unread.h"

struct monitors {
	struct deadlocks *deadlocks;
	struct workers workers;
	struct mon_cpu mon_cpu;
	struct mon_affinity mon_affinity;
	struct mon_cow mon_cow;
	struct mon_failures mon_failures;
	struct mon_last_seen mon_last_seen;
	struct mon_unread mon_unread;
	uint64_t seen_ns; /* of the last snapshot */
};

void monitors_init(struct monitors *monitors, struct deadlocks *deadlocks);
/* Does nothing without a new snapshot. */
void monitors_look(struct monitors *monitors);
/*
 * Records what only the whole session shows; call it before the supervisor's log is read for the
 * last time.
 */
void monitors_finish(struct monitors *monitors);

/*
 * Whether a worker lost its parent so recently that it may still end with it, or is just starting.
 */
bool monitors_are_open(const struct reader *reader);
