/* SPDX-License-Identifier: Apache-2.0 */
/* Writes EV_rank. */
#include "rank_log.h"

#include <stdlib.h>

#include "../../shim/common/hash.h"
#include "lost.h"
#include "stuck.h"

#define LOOK_NS 1000000000ull

/* What is recorded of a rank; `text`: owned, of one that will not come. */
struct picture {
	enum rank_state state;
	char *text;
};

static struct picture look(const struct snapshot *snapshot, const struct rank *rank,
			   uint64_t since_ns)
{
	const struct reader *reader = snapshot->reader;
	struct picture picture = {RANK_OPEN, NULL};

	if (rank->index == SNAPSHOT_NONE) {
		if (reader->processes[rank->slot].gone &&
		    !(reader->session.table[rank->slot].flags & MPSAN_PROCESS_REPLACED))
			picture = (struct picture){RANK_ENDED, lost_end(reader, rank->slot)};
	} else if (rank_waits(snapshot, rank, since_ns)) {
		picture.state = RANK_WAITS;
	} else {
		picture.text = lost_dead(snapshot, rank->index, since_ns);
		picture.state = picture.text ? RANK_DEAD : RANK_OPEN;
	}
	return picture;
}

/* "0 4 8", ranks that its collective needs; "": all. The caller frees it. */
static char *needs_text(const struct rank *rank)
{
	char *text = text_copy(""), *longer;

	for (uint32_t i = 0; i < rank->needs_count; i++) {
		longer = text_format("%s%s%u", text, i ? " " : "", rank->needs[i]);
		free(text);
		text = longer;
	}
	return text;
}

static void put(struct watchlog *log, const struct rank *rank, const struct picture *picture,
		uint32_t pid)
{
	bool waits = picture->state == RANK_WAITS;
	AUTO_FREE char *needs = needs_text(rank);
	struct ev_rank event = {.rank = rank->number,
				.world = rank->world,
				.job = rank->job,
				.state = picture->state,
				.since = rank->since_ns};

	event.what = watchlog_text(log, rank->slot, waits ? rank->in.name : picture->text ?: "");
	event.place = watchlog_text(log, rank->slot, waits ? rank->in.place : "");
	event.needs = watchlog_text(log, rank->slot, waits ? needs : "");
	watchlog_put(log, EV_rank, rank->slot, pid, &event, sizeof(event));
}

/* Copies of a rank's process have its variables and its memory, but none of its collectives. */
static bool is_of_interest(const struct rank *rank)
{
	return rank->world > 1 && rank->joined && !rank->local && rank->has_met;
}

void rank_log(struct ranks *ranks, const struct snapshot *snapshot, uint64_t since_ns,
	      struct watchlog *log)
{
	for (uint32_t i = 0; i < ranks->item.count; i++) {
		struct rank *rank = &ranks->item.item[i];
		struct picture picture;
		uint64_t now;

		if (!is_of_interest(rank) || snapshot->now_ns < rank->record_due_ns ||
		    watchlog_is_half_full(log))
			continue;
		rank->record_due_ns = snapshot->now_ns + LOOK_NS;
		picture = look(snapshot, rank, since_ns);
		now = hash_add(HASH_EMPTY, picture.state);
		now = picture.state == RANK_WAITS ? hash_add(now, rank->place) : now;
		if (now != rank->recorded && (rank->recorded || picture.state != RANK_OPEN))
			put(log, rank, &picture, snapshot->reader->session.table[rank->slot].pid);
		rank->recorded = now;
		free(picture.text);
	}
}
