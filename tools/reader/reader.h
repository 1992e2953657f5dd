/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a session: merges the events of all its logs into facts and announces triggers for rules.
 * Works for a running session (poll repeatedly) and for one that is over. Neighbours: session.h,
 * logfile.h below; judge.h above; triggers.c is its second half.
 */
#pragma once

#include "../base/util.h"
#include "../rules/rule.h"
#include "logfile.h"
#include "merge.h"
#include "pidfd_poll.h"
#include "session.h"

/*
 * A module that a process had mapped. Path and build_id are positions of text records in its log.
 */
struct seen_module {
	struct fact_place at;
	struct ev_module ev;
	uint32_t previous; /* of the same process; FACT_NONE: it is the first */
};

/* A name for the lock at an address of a process. */
struct seen_name {
	struct fact_place at;
	uint64_t lock;
	uint64_t name;
};

/* A thread's name from that time on. */
struct seen_thread_name {
	struct fact_place at;
	uint64_t start; /* as in fact_thread */
	uint64_t name;
	uint32_t before; /* as above */
};

/*
 * A process-shared lock was created or opened at an address, or, with `gone`, destroyed or closed
 * there.
 */
struct seen_share {
	struct fact_place at;
	struct ev_shared_lock ev;
	bool gone; /* only the lock of `ev` is set */
};

struct seen_limit {
	struct fact_place at;
	struct ev_limit ev;
};

struct pending {
	uint64_t due_ns;
	struct trigger trigger;
	uint32_t slot; /* of the log; orders equal times, with pos */
	uint64_t pos;
};

struct cuda_store;
struct shm_store;

/* Types for index_map: a thread's newest start or name, by slot and TID. */
#define PLACE_THREAD EV_COUNT
#define PLACE_THREAD_NAME (EV_COUNT + 1)

struct reader {
	struct session session;
	struct facts facts;
	uint64_t now_ns; /* of the last poll */
	uint64_t last_ns; /* latest time of any record or slot */
	bool over; /* nothing will be added: see reader_finish */
	uint64_t cut_ns; /* when the supervisor began to kill the job; 0: it did not */

	struct logfile **logs; /* by slot, NULL: none; one more for the supervisor's */
	int watch_fd; /* of the supervisor's, if it is in memory; else -1 */
	bool lacks_memory; /* memory was short to map a log */
	uint8_t *reading; /* by slot: enum reading of page_release.h */
	bool *log_failed; /* by slot: the file exists but is not a log of this format */
	struct fact_process *processes;
	uint32_t *last_module; /* by slot: index into modules of the newest; FACT_NONE */
	uint32_t *
		/* by slot: its newest fork from a thread other than the main one; FACT_NONE */
		last_late;
	bool *known; /* by slot: it is in `used` */
	uint32_t all_known; /* slots below are in use */
	ARRAY(uint32_t) used; /* slots of all processes seen, by start time */
	bool *followed; /* by slot: it is or was in `alive` */
	struct pidfd_poll pidfds;
	uint64_t liveness_ns; /* of the last check of living processes */

	struct merge merge;
	ARRAY(struct fact_fork) forks;
	ARRAY(struct fact_held) helds;
	ARRAY(struct fact_wait) waits;
	ARRAY(struct fact_unlock) unlocks;
	ARRAY(struct fact_blocked) blockeds;
	ARRAY(struct fact_deadlock) deadlocks;
	ARRAY(struct fact_order) orders;
	uint32_t order_lists[FACT_ORDER_LISTS];
	ARRAY(uint32_t) orders_live; /* indices of orders whose locks still exist */
	ARRAY(struct fact_left) lefts;
	ARRAY(struct fact_event) events;
	ARRAY(struct seen_module) modules;
	ARRAY(struct seen_name) names;
	ARRAY(struct fact_thread) threads;
	ARRAY(struct seen_thread_name) thread_names;
	ARRAY(struct seen_limit) limits;
	ARRAY(struct seen_share) shares;
	ARRAY(struct fact_place) comms; /* of NCCL: records that are updated in place */
	uint32_t acts_known; /* events below this index were collected by an earlier poll */
	uint32_t acts_settled; /* those below this index cannot be retracted any more */
	uint32_t helds_linked; /* holds below this index know their fork, or never will */

	struct cuda_store *cuda; /* collect_cuda.h */
	struct shm_store *shm; /* collect_shm.h */
	struct index_map *places;
	ARRAY(struct trigger) open; /* not announced yet */
	ARRAY(struct pending) ready; /* in the order of announcement */
	uint32_t ready_next;
};

/* A process and those that made it: see EACH_ANCESTOR. */
#define READER_EACH_ANCESTOR(reader, at) \
	EACH_ANCESTOR_IN((reader)->processes, (reader)->session.slots, at)

/* Iterates over the slots of all processes by start time. */
#define READER_EACH_SLOT(reader, slot)                                                          \
	for (uint32_t slot##_at = 0, slot;                                                      \
	     slot##_at < (reader)->used.count && (slot = (reader)->used.item[slot##_at], true); \
	     slot##_at++)

/*
 * Returns NULL, or a one-line error that the caller frees. In a writable session the ends of lost
 * processes are recorded.
 */
char *reader_open(struct reader *reader, const char *dir, bool writable);
void reader_close(struct reader *reader);

/* Reads all records without looking at the clock or /proc, as reader_end_ns() requires. */
void reader_read(struct reader *reader);

/* Reads new records at time `now` (CLOCK_MONOTONIC). */
void reader_poll(struct reader *reader, uint64_t now);

/* Reads the rest of a session; living processes count as ended at `now`. */
void reader_finish(struct reader *reader, uint64_t now);

/*
 * The end of a recorded session: written by its supervisor, else the latest time in it; 0: it is
 * running.
 */
uint64_t reader_end_ns(const struct reader *reader);

/*
 * Whether a living process waits for something that cannot come, but not long enough for a proof
 * yet.
 */
bool reader_has_open_wait(const struct reader *reader);

/* Where an event was read. */
struct fact_place reader_event_place(const struct reader *reader, const struct fact_event *event);

/* The next trigger; facts.now_ns is then the time when it fired. */
bool reader_next_trigger(struct reader *reader, struct trigger *trigger);

/* A record of a slot's log; false if it does not exist or has another type. */
bool reader_record(const struct reader *reader, uint32_t slot, uint64_t pos,
		   enum mpsan_event_type type, struct record *out);

static inline struct fact_place reader_place(const struct record *record)
{
	return (struct fact_place){record->slot, record->by, record->tid, record->pos,
				   record->time_ns};
}

static inline uint32_t reader_pid(const struct reader *reader, uint32_t slot)
{
	return slot < reader->session.slots ? reader->session.table[slot].pid : 0;
}

static inline void reader_await(struct reader *reader, enum trigger_kind kind, uint32_t index)
{
	*ARRAY_ADD(&reader->open) = (struct trigger){kind, index};
}

/* The text at a position; NULL: none. */
const char *reader_text(const struct reader *reader, uint32_t slot, uint64_t pos);

/* Converts session time to CLOCK_REALTIME. */
uint64_t reader_real_ns(const struct reader *reader, uint64_t time_ns);

/* Index of the fork, held or wait event at a position; FACT_NONE: none. */
uint32_t reader_find(const struct reader *reader, uint32_t slot, uint64_t pos,
		     enum mpsan_event_type type);

/*
 * Releases log pages when much memory is resident, for callers that read a large session. Pointers
 * into logs stay valid.
 */
void reader_trim(const struct reader *reader);
/* The same from a loop over records, of which `count` have been read: checks every some thousand. */
void reader_trim_at(const struct reader *reader, uint32_t count);

/* triggers.c: whether a trigger fires, and since when. */
enum timing { TIMING_COME, TIMING_OPEN, TIMING_NEVER };
enum timing trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
			   uint64_t *due_ns);
