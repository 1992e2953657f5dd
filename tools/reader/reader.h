/*
 * Reads a session: merges the events of all its logs into facts and announces the moments at
 * which rules may speak. It works the same on a session that is under way (poll again and again)
 * and on one that is over. Neighbours: session.h, logfile.h below it; judge.h above it; triggers.c
 * is its second half.
 */
#ifndef MPSAN_READER_H
#define MPSAN_READER_H

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
	uint32_t previous; /* of the same process, FACT_NONE: it is the first */
};

/* A name for the lock at an address of a process. */
struct seen_name {
	struct fact_place at;
	uint64_t lock;
	uint64_t name;
};

/* A thread's start, as it was seen. `start` tells it from others that had its TID. */
struct seen_thread {
	struct fact_place at;
	struct ev_thread_start ev;
	uint64_t start;
	uint64_t gone_pos; /* of the record that says so, in the same log; 0: there is none */
	uint32_t before; /* the one before it with this TID in the same process, FACT_NONE */
};

/* A name that a thread had, from then on. */
struct seen_thread_name {
	struct fact_place at;
	uint64_t start; /* as in seen_thread */
	uint64_t name;
	uint32_t before; /* as above */
};

/* A process-shared lock was made or opened at an address, or, with `gone`, given up there. */
struct seen_share {
	struct fact_place at;
	struct ev_shared_lock ev;
	bool gone; /* of `ev` only the lock is set */
};

struct seen_limit {
	struct fact_place at;
	struct ev_limit ev;
};

struct pending {
	uint64_t due_ns;
	struct trigger trigger;
	uint32_t slot; /* of the log, with pos: settles the order of equal times */
	uint64_t pos;
};

struct cuda_store;
struct shm_store;

/* As types of index_map: a thread's newest start or name, by slot and TID. */
#define PLACE_THREAD EV_COUNT
#define PLACE_THREAD_NAME (EV_COUNT + 1)

struct reader {
	struct session session;
	struct facts facts;
	uint64_t now_ns; /* of the last poll */
	uint64_t last_ns; /* latest time that any record or slot mentions */
	bool over; /* nothing will be added: see reader_finish */
	uint64_t cut_ns; /* when the supervisor began to end the job; 0: it did not */

	struct logfile **logs; /* by slot, NULL: none; one more for the supervisor's own */
	bool lacks_memory; /* to map a log */
	bool *log_failed; /* by slot: there is a file, but no log of this format in it */
	struct fact_process *processes;
	uint32_t *last_module; /* by slot: index into modules of the newest, FACT_NONE */
	uint32_t *
		last_late; /* by slot: its newest fork by another than the main thread, FACT_NONE */
	bool *known; /* by slot: it is in `used` */
	uint64_t claimed; /* slots of the session when they were last looked for */
	ARRAY(uint32_t) used; /* slots of all processes seen, in the order of their births */
	bool *followed; /* by slot: it is in `alive`, or was */
	struct pidfd_poll pidfds;
	uint64_t liveness_ns; /* of the last look at who is alive */

	struct merge merge;
	ARRAY(struct fact_fork) forks;
	ARRAY(struct fact_held) helds;
	ARRAY(struct fact_wait) waits;
	ARRAY(struct fact_unlock) unlocks;
	ARRAY(struct fact_blocked) blockeds;
	ARRAY(struct fact_deadlock) deadlocks;
	ARRAY(struct fact_order) orders;
	uint32_t order_lists[FACT_ORDER_LISTS];
	ARRAY(uint32_t) orders_live; /* indices of those about locks that are still there */
	ARRAY(struct fact_left) lefts;
	ARRAY(struct fact_event) events;
	ARRAY(struct seen_module) modules;
	ARRAY(struct seen_name) names;
	ARRAY(struct seen_thread) threads;
	ARRAY(struct seen_thread_name) thread_names;
	ARRAY(struct seen_limit) limits;
	ARRAY(struct seen_share) shares;
	uint32_t acts_known; /* acts below this index were taken in by an earlier poll */
	uint32_t acts_settled; /* those below this one are not taken back any more */
	uint32_t helds_linked; /* holds below this index know their fork, or never will */

	struct cuda_store *cuda; /* collect_cuda.h */
	struct shm_store *shm; /* collect_shm.h */
	struct index_map *places;
	ARRAY(struct trigger) open; /* not announced yet */
	ARRAY(struct pending) ready; /* in the order of announcement */
	uint32_t ready_next;
};

/* Goes through the slots of all processes in the order of their births. */
#define READER_EACH_SLOT(reader, slot)                                                          \
	for (uint32_t slot##_at = 0, slot;                                                      \
	     slot##_at < (reader)->used.count && (slot = (reader)->used.item[slot##_at], true); \
	     slot##_at++)

/*
 * NULL when all is well, else one line (owned by the caller). A writable session gets the ends of
 * lost processes.
 */
char *reader_open(struct reader *reader, const char *dir, bool writable);
void reader_close(struct reader *reader);

/* Reads what is there, without a look at the clock or at /proc: reader_end_ns() needs that much. */
void reader_read(struct reader *reader);

/* Reads what is new at time `now` (CLOCK_MONOTONIC). */
void reader_poll(struct reader *reader, uint64_t now);

/*
 * Reads the rest of a session of which nothing more is wanted; what is alive counts as ended at
 * `now`.
 */
void reader_finish(struct reader *reader, uint64_t now);

/*
 * The end of a recorded session: written by its supervisor, else the last time mentioned; 0: it
 * is under way.
 */
uint64_t reader_end_ns(const struct reader *reader);

/*
 * Whether a process that is alive waits for something that nobody can give it, not yet long
 * enough for a proof.
 */
bool reader_has_open_wait(const struct reader *reader);

/* The next moment; facts.now_ns is then the time at which it became one. */
bool reader_next_trigger(struct reader *reader, struct trigger *trigger);

/* A record of a slot's log; false when it is not there or of another type. */
bool reader_record(const struct reader *reader, uint32_t slot, uint64_t pos,
		   enum mpsan_event_type type, struct record *out);

/* The text at a position, NULL when there is none. */
const char *reader_text(const struct reader *reader, uint32_t slot, uint64_t pos);

/* Turns a time of the session into CLOCK_REALTIME. */
uint64_t reader_real_ns(const struct reader *reader, uint64_t time_ns);

/* Index of the fork, held or wait event at a position; FACT_NONE. */
uint32_t reader_find(const struct reader *reader, uint32_t slot, uint64_t pos,
		     enum mpsan_event_type type);

/*
 * Gives back the memory of log pages once there is much of it: for whoever goes through a large
 * session. Pointers into logs stay good.
 */
void reader_trim(const struct reader *reader);

/* triggers.c: whether a moment has come, and since when. */
enum timing { TIMING_COME, TIMING_OPEN, TIMING_NEVER };
enum timing trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
			   uint64_t *due_ns);

#endif
