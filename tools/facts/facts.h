/*
 * Facts: what the events of all processes of a session amount to, as plain records that rules
 * read. The caller (the command's reader, or a unit test) owns every array; nothing here
 * allocates, asks the clock or looks at a process. Neighbours: rule.h says how a rule reads
 * facts; ../../include/mpsan_event.h.
 */
#ifndef MPSAN_FACTS_H
#define MPSAN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"
#include "cuda.h"
#include "shm.h"

#define FACT_NONE UINT32_MAX /* "no such index" */
/* By then the logs of other processes are known, too. */
#define EVENT_SETTLE_NS 300000000ull

/*
 * How long a wait must have lasted, and a child must have lived without exec, before a rule
 * speaks.
 */
#define FACT_WAIT_NS 500000000ull
#define FACT_CHILD_NS 1000000000ull

/* Types of acts by number: they are the last of all events. */
#define EVENT_FACT_FIRST EV_shm_intent
#define EVENT_FACT_TYPES (EV_COUNT - EVENT_FACT_FIRST)

static inline uint32_t event_fact_number(uint32_t type)
{
	return type - EVENT_FACT_FIRST;
}

struct fact_process {
	const struct mpsan_process *slot;
	bool gone; /* its end was seen, or /proc no longer has it */
	uint64_t gone_ns; /* when that was known */
	uint64_t exec_ns; /* its first exec, 0: none */
	/* the last time that a supervisor saw it alive, and no end begun, 0: nobody looked */
	uint64_t seen_ns;
	bool lossy; /* its log was full: what it gave back may not be known */
	bool stayed; /* it was alive when the session was over, and counts as gone from then on */
	uint32_t event
		[EVENT_FACT_TYPES]; /* its newest act of each type + 1, see event_fact_number() */
};

struct fact_held {
	struct fact_place at;
	struct ev_held ev;
	uint32_t fork; /* index into forks, FACT_NONE: that record was lost */
	bool repaired; /* the child found it free after its fork handlers */
};

struct fact_fork {
	struct fact_place at;
	struct ev_fork ev;
	uint32_t child; /* slot, FACT_NONE: not seen (yet) */
	uint32_t late; /* the one before it of this process that was not made by the main thread */
	uint32_t list; /* the fork whose holds are those of this one: itself, or an earlier one */
	uint32_t held_begin, held_end; /* they lie in this range of helds */
};

struct fact_wait {
	struct fact_place at;
	struct ev_wait ev;
	uint32_t held; /* index into helds, FACT_NONE: the hold was not recorded */
	/* Of a wait that only others could end: the parent's threads that began where it waits. */
	uint32_t pool_threads;
	bool in_library; /* it waits in a library, not one through which everybody does */
	uint64_t end_ns; /* 0: still waits */
	uint64_t result;
	bool proved; /* the supervisor saw that nobody in the whole job could end it */
};

struct fact_unlock {
	struct fact_place at;
	struct ev_unlock_failed ev;
	uint32_t held; /* as in fact_wait */
};

/* One edge of the wait-for graph, as the supervisor stated it. */
struct fact_blocked {
	struct fact_place at; /* by, tid: who waits */
	struct ev_blocked ev; /* owner_slot is a slot + 1; 0: no owner known */
};

/* Threads that cannot go on: a range of blockeds. */
struct fact_deadlock {
	struct fact_place at;
	struct ev_deadlock ev; /* dead_slot is a slot + 1; 0: nobody's death matters */
	uint32_t begin, end;
};

/* Two locks in this order. */
struct fact_order {
	struct fact_place at;
	struct ev_order ev;
	uint32_t over; /* one of the two was destroyed before the order of this index; 0: not yet */
	uint32_t before; /* index + 1 of an earlier one in the same list, see order_lists */
};

#define FACT_ORDER_LISTS 4096u

/* A lock that an atfork handler kept in the parent. */
struct fact_left {
	struct fact_place at;
	struct ev_left_locked ev;
	uint32_t fork; /* index, FACT_NONE */
};

/*
 * An event that carries all its facts: what one thread did at one moment, or what the supervisor saw.
 * EVENT_AS(act, shm_refused)->reason; the type is EV_shm_refused then.
 */
struct fact_event {
	struct fact_place at;
	uint32_t type; /* enum mpsan_event_type */
	uint32_t before; /* the process's earlier act of this type + 1 */
	const uint64_t
		*field; /* of its event; the log's own memory, so that millions of acts fit */
	uint64_t later; /* of its record, as it was when its moment came */
};
#define EVENT_FACT_WORDS 14 /* no act has more fields */
#define EVENT_AS(event, name) ((const struct ev_##name *)(event)->field)

struct facts {
	uint64_t now_ns;
	const struct fact_process *processes; /* by slot */
	uint32_t process_count;
	const struct fact_fork *forks;
	uint32_t fork_count;
	const struct fact_held *helds;
	uint32_t held_count;
	const struct fact_wait *waits;
	uint32_t wait_count;
	const struct fact_unlock *unlocks;
	uint32_t unlock_count;
	const struct fact_blocked *blockeds;
	uint32_t blocked_count;
	const struct fact_deadlock *deadlocks;
	uint32_t deadlock_count;
	const struct fact_order *orders;
	uint32_t order_count;
	const uint32_t *order_lists; /* FACT_ORDER_LISTS times index + 1, newest first */
	const struct fact_left *lefts;
	uint32_t left_count;
	const struct fact_event
		*events; /* of the kinds that acts.def names, in the order of time */
	uint32_t event_count;
	struct cuda_facts cuda;
	struct shm_facts shm;
	/* a supervisor watched: the end of a process is known nearly to the moment */
	bool followed;
	bool blind; /* there were processes without the library: not everything was seen */
};

/* What became of a fork's child within FACT_CHILD_NS. */
enum fact_fate { FATE_LIVES, FATE_EXEC, FATE_ENDED };

/* Whether this way of making a process copies the caller's memory and goes on in it. */
bool fact_how_copies(uint64_t how);

/* FATE_LIVES when the child is unknown: it is not known to have called exec. */
enum fact_fate fact_fate(const struct facts *facts, const struct fact_fork *fork);

/* When that fate was sealed; 0: not before `facts->now_ns`. */
uint64_t fact_fate_ns(const struct facts *facts, const struct fact_fork *fork);

/* Whether this hold is among those of that fork. */
bool fact_held_at(const struct facts *facts, uint32_t held, uint32_t fork);

/*
 * The fork that left the holder of a lock behind for process `by`: the one that made it if the hold
 * is among those of that, else the one that stated the hold. Without a hold, the fork that made
 * `by`. FACT_NONE.
 */
uint32_t fact_fork_behind(const struct facts *facts, uint32_t held, uint32_t by);

/* When its parent forked this process, which may first run long after that; without such a fork, when it began. */
uint64_t fact_made_ns(const struct facts *facts, uint32_t slot);

/*
 * Whether a hold is a lock that a copy of the process would miss: private, held, a lock and no
 * signal.
 */
bool fact_held_counts(const struct fact_held *held);

/* What an atfork handler kept before that wait, of the same lock and process. FACT_NONE. */
uint32_t fact_left_before(const struct facts *facts, const struct fact_wait *wait);

/* Whether the thread that forked was not the first one of its process. */
bool fact_fork_is_late(const struct facts *facts, const struct fact_fork *fork);

/*
 * Orders by their first lock: the newest one in the list in which those of `lock` in process `by`
 * are found, among others, and the one before. FACT_NONE: no more.
 */
uint32_t fact_order_of(const struct facts *facts, uint32_t by, uint64_t lock);
uint32_t fact_order_before(const struct facts *facts, uint32_t order);

/* Enters the order of this index into its list; they come in turn. */
void fact_order_enter(struct fact_order *orders, uint32_t *lists, uint32_t order);

/* Whether a wait provably cannot end: by what its process knew, or by what the supervisor saw. */
bool fact_wait_is_proof(const struct fact_wait *wait);

/*
 * The newest act of this type of a process, before the act of that index, which is of this type and process, too
 * (FACT_NONE: of all). FACT_NONE: none.
 */
uint32_t fact_event_of(const struct facts *facts, uint32_t slot, uint32_t type, uint32_t before);

/* Whether one of the process's recorded arguments contains `word`. */
bool fact_argv_has(const struct mpsan_process *process, const char *word);

#endif
