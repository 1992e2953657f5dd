/* SPDX-License-Identifier: Apache-2.0 */
/* Records until when processes that share device memory were seen alive. */
#include "mon_last_seen.h"

#include <stdlib.h>

#include "../../reader/collect_cuda.h"

void mon_last_seen_init(struct mon_last_seen *mon_last_seen, const struct reader *reader)
{
	*mon_last_seen = (struct mon_last_seen){.reader = reader};
	mon_last_seen->recorded =
		memory_get(reader->session.slots * sizeof(*mon_last_seen->recorded));
}

static void record_ended(struct mon_last_seen *mon_last_seen, struct watchlog *log, bool all)
{
	const struct reader *reader = mon_last_seen->reader;

	READER_EACH_SLOT(reader, slot) {
		const struct fact_process *process = &reader->processes[slot];
		struct ev_last_seen event = {.seen = process->seen_ns};

		if (mon_last_seen->recorded[slot] || !event.seen || !(process->gone || all) ||
		    !cuda_shares(reader, slot))
			continue;
		mon_last_seen->recorded[slot] = true;
		watchlog_put(log, EV_last_seen, slot, reader->session.table[slot].pid, &event,
			     sizeof(event));
	}
}

void mon_last_seen_look(struct mon_last_seen *mon_last_seen, struct watchlog *log)
{
	record_ended(mon_last_seen, log, false);
}

void mon_last_seen_finish(struct mon_last_seen *mon_last_seen, struct watchlog *log)
{
	record_ended(mon_last_seen, log, true);
	free(mon_last_seen->recorded);
	*mon_last_seen = (struct mon_last_seen){0};
}
