/* SPDX-License-Identifier: Apache-2.0 */
/* Looks who can read the pipes of ended processes, more and more rarely as long as somebody can. */
#include "mon_unread.h"

#include <stdlib.h>

#include "../../facts/processes.h"
#include "../../proc/pipes.h"
#include "../../waits/memory/memory_reach.h"

#define INTERVAL_FIRST_NS 200000000ull
#define INTERVAL_MAX_NS 4000000000ull

void mon_unread_init(struct mon_unread *unread, const struct snapshot *snapshot)
{
	*unread = (struct mon_unread){.snapshot = snapshot, .interval_ns = INTERVAL_FIRST_NS};
	unread->recorded = memory_get(snapshot->reader->session.slots * sizeof(*unread->recorded));
}

/* Whether the process that would ask lives on: one that ends closes all that it has. */
static bool is_outlived(const struct reader *reader, uint32_t slot)
{
	uint32_t parent = process_parent(&reader->facts, slot);

	return parent == FACT_NONE || (!reader->processes[parent].gone &&
				       !(reader->session.table[parent].marks & MPSAN_MARK_LEAVES));
}

/* The pipe of an ended process that is still to be looked for; NULL: none. */
static const struct ev_shm_kept *pending(const struct mon_unread *unread, uint32_t slot)
{
	const struct reader *reader = unread->snapshot->reader;
	const struct ev_shm_kept *kept;
	uint32_t at;

	if (unread->recorded[slot] || !reader->processes[slot].gone)
		return NULL;
	at = fact_event_of(&reader->facts, slot, EV_shm_kept, FACT_NONE);
	if (at == FACT_NONE)
		return NULL;
	kept = EVENT_AS(&reader->facts.events[at], shm_kept);
	return kept->pipe ? kept : NULL;
}

/* What is under way in a message may be any end. */
static bool can_be_read(const struct pipes *pipes, const struct ev_shm_kept *kept)
{
	const struct pipe_id id = {PIPE_ANONYMOUS, kept->pipe_device, kept->pipe};
	uint32_t at = 0;

	return pipes->in_flight || pipes_next(pipes, &id, PIPE_END_READ, &at);
}

static bool look_at_all(struct mon_unread *unread, struct watchlog *log, const struct pipes *pipes)
{
	const struct reader *reader = unread->snapshot->reader;
	bool left = false;

	READER_EACH_SLOT(reader, slot) {
		const struct ev_shm_kept *kept = pending(unread, slot);
		struct ev_unread event;

		if (!kept)
			continue;
		left = true;
		if (can_be_read(pipes, kept) || !is_outlived(reader, slot))
			continue;
		event = (struct ev_unread){kept->pipe_device, kept->pipe};
		unread->recorded[slot] = true;
		watchlog_put(log, EV_unread, slot, reader->session.table[slot].pid, &event,
			     sizeof(event));
	}
	return left;
}

static bool has_pending(const struct mon_unread *unread)
{
	READER_EACH_SLOT(unread->snapshot->reader, slot)
		if (pending(unread, slot))
			return true;
	return false;
}

void mon_unread_look(struct mon_unread *unread, struct watchlog *log)
{
	struct pipes pipes = {0};
	struct flight_job job;
	bool left;

	if (unread->snapshot->now_ns < unread->next_ns || !has_pending(unread))
		return;
	job = memory_reach_job(unread->snapshot);
	pipes_scan(&pipes, &job);
	left = look_at_all(unread, log, &pipes);
	pipes_free(&pipes);
	unread->next_ns = unread->snapshot->now_ns + unread->interval_ns;
	unread->interval_ns = left ? 2 * unread->interval_ns : INTERVAL_FIRST_NS;
	if (unread->interval_ns > INTERVAL_MAX_NS)
		unread->interval_ns = INTERVAL_MAX_NS;
}

void mon_unread_finish(struct mon_unread *unread)
{
	free(unread->recorded);
	*unread = (struct mon_unread){0};
}
