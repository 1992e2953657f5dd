/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at processes again and again, as the supervisor of `mpsan run` does. */
#include "attach.h"

#include <poll.h>
#include <time.h>

#include "../reader/host.h"
#include "../waitgraph/deadlocks.h"

#define PAUSE_MS 50
#define LIST_NS 500000000ull /* time between two searches for new processes */

static void look_for_processes(struct attach *attach, struct deadlocks *deadlocks)
{
	target_look(attach->target);
	attach->refused = target_enter(attach->target, &attach->judge->reader->session,
				       &deadlocks->log);
}

static bool is_over(const struct attach *attach)
{
	const struct reader *reader = attach->judge->reader;

	READER_EACH_SLOT(reader, slot)
		if (session_liveness(&reader->session, slot) != GONE)
			return false;
	return true;
}

void attach_run(struct attach *attach)
{
	struct reader *reader = attach->judge->reader;
	struct deadlocks deadlocks;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), listed_ns = now;

	deadlocks_init(&deadlocks, reader, attach->hang_after * 1000000000ull);
	look_for_processes(attach, &deadlocks);
	reader_poll(reader, now);
	for (; now < attach->until_ns && !is_over(attach); now = clock_ns(CLOCK_MONOTONIC)) {
		reader->session.head->seen_ns = now;
		if (now - listed_ns >= LIST_NS) {
			look_for_processes(attach, &deadlocks);
			listed_ns = now;
		}
		reader_poll(reader, now);
		deadlocks_look(&deadlocks, now);
		judge_triggers(attach->judge);
		if (attach->say)
			attach->say(attach);
		poll(NULL, 0, PAUSE_MS);
	}
	now = clock_ns(CLOCK_MONOTONIC);
	reader->session.head->end_ns = now;
	reader_finish(reader, now);
	deadlocks_finish(&deadlocks);
	judge_triggers(attach->judge);
}
