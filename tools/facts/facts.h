/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: the events of all processes of a session as plain records that rules read. The caller (the
 * command's reader, or a unit test) owns every array; nothing here allocates, reads the clock or
 * looks at a process. Neighbours: rule.h says how a rule reads facts; ../../include/mpsan_event.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"
#include "awaited.h"
#include "cuda.h"
#include "shm.h"

#define FACT_NONE UINT32_MAX /* "no such index" */
/* After this time the logs of other processes have been read, too. */
#define EVENT_SETTLE_NS 300000000ull

/*
 * How long a wait must have lasted, and a child must have lived without exec, before a rule reports
 * it.
 */
#define FACT_WAIT_NS 500000000ull
#define FACT_CHILD_NS 1000000000ull

/* Event types with a struct fact_event: the last types of the enumeration. */
#define EVENT_FACT_FIRST EV_shm_intent
#define EVENT_FACT_TYPES (EV_COUNT - EVENT_FACT_FIRST)

static inline uint32_t event_fact_number(uint32_t type)
{
	return type - EVENT_FACT_FIRST;
}

struct fact_process {
	const struct mpsan_process *slot;
	bool gone; /* its end was seen, or it is no longer in /proc */
	uint64_t gone_ns; /* when that was noticed */
	uint64_t exec_ns; /* its first exec; 0: none */
	/* when a supervisor last saw it alive and not exiting; 0: never */
	uint64_t seen_ns;
	uint32_t outer_pid; /* its number for the observer, in another PID namespace; 0: the same */
	/*
	 * As slot + 1, 0 for none: whose child it is, the first and the last of its own, and its maker's next
	 * one. An image that follows an exec is a child of the one before.
	 */
	uint32_t maker, children, last_child, sibling;
	bool lossy; /* its log was full, so releases may be missing */
	bool stayed; /* it was alive when the session ended, and counts as ended from then on */
	uint32_t event
		[EVENT_FACT_TYPES]; /* its newest event of each type + 1, see event_fact_number() */
};

struct fact_held {
	struct fact_place at;
	struct ev_held ev;
	uint32_t fork; /* index into forks; FACT_NONE: that record is missing */
	bool repaired; /* the child found the lock free after its atfork handlers */
};

struct fact_fork {
	struct fact_place at;
	struct ev_fork ev;
	uint32_t child; /* slot; FACT_NONE: not seen (yet) */
	uint32_t late; /* this process's previous fork from a thread other than the main one */
	uint32_t list; /* the fork whose list of holds this one shares: itself, or an earlier one */
	uint32_t held_begin, held_end; /* that list's range in helds */
	bool by_pool; /* a thread of multiprocessing.Pool itself replaces a worker */
};

struct fact_wait {
	struct fact_place at;
	struct ev_wait ev;
	uint32_t held; /* index into helds; FACT_NONE: the hold was not recorded */
	/*
	 * For a wait that only other threads can end: the parent's threads that the waiting module
	 * had started.
	 */
	uint32_t pool_threads;
	uint32_t pool_thread; /* one of them: index into the reader's threads */
	bool in_library; /* it waits inside a library, not in a general-purpose wrapper */
	uint64_t end_ns; /* 0: still waiting */
	uint64_t result;
	bool proved; /* the supervisor proved that no process of the job could end it */
};

struct fact_unlock {
	struct fact_place at;
	struct ev_unlock_failed ev;
	uint32_t held; /* as in fact_wait */
};

/* One edge of the wait-for graph, as the supervisor stated it. */
struct fact_blocked {
	struct fact_place at; /* by, tid: the waiter */
	struct ev_blocked ev; /* owner_slot is a slot + 1; 0: owner unknown */
	struct awaited_frames frames; /* what its Python frames say about the wait */
};

/* A deadlock: a range of blockeds. */
struct fact_deadlock {
	struct fact_place at;
	struct ev_deadlock ev; /* dead_slot is a slot + 1; 0: no death caused it */
	uint32_t begin, end;
	uint64_t until_ns; /* how long it is known to have lasted */
	uint64_t over_ns; /* when its first waiter was seen to wait no more; 0: never */
};

/* Two locks taken in this order. */
struct fact_order {
	struct fact_place at;
	struct ev_order ev;
	/* one of the two was destroyed before the order with this index; 0: not yet */
	uint32_t over;
	uint32_t before; /* index + 1 of the previous one in the same list, see order_lists */
};

#define FACT_ORDER_LISTS 4096u

/* A thread's start. `start` distinguishes it from others with its TID. */
struct fact_thread {
	struct fact_place at;
	struct ev_thread_start ev;
	uint64_t start;
	uint64_t gone_pos; /* of the record of its end, in the same log; 0: none */
	uint32_t before; /* the previous one with this TID in the same process; FACT_NONE: none */
};

/* A lock that an atfork handler left locked in the parent. */
struct fact_left {
	struct fact_place at;
	struct ev_left_locked ev;
	uint32_t fork; /* index; FACT_NONE: none */
};

/*
 * An event that carries all its facts: something that one thread did, or that the supervisor saw.
 * EVENT_AS(event, shm_refused)->reason, if the type is EV_shm_refused. There are millions: time and TID
 * are read from the record in the mapped log. Addresses in user space have 48 bits.
 */
struct fact_event {
	uint64_t record : 48; /* address of the mpsan_record; its fields follow */
	uint64_t by : 16; /* slot of the process that wrote it */
	uint32_t before; /* the process's previous event of this type + 1 */
	uint16_t slot; /* of the log */
	uint16_t type; /* enum mpsan_event_type; EV_none: it was retracted */
};
_Static_assert(sizeof(struct fact_event) == 16, "millions of events take little memory");
_Static_assert(MPSAN_SLOTS_MAX <= UINT16_MAX,
	       "the supervisor's log has the number after the last slot");

#define EVENT_FACT_WORDS 14 /* the most fields of such an event */
#define EVENT_AS(event, name) ((const struct ev_##name *)event_payload(event))

static inline const struct mpsan_record *event_record(const struct fact_event *event)
{
	return (const struct mpsan_record *)(uintptr_t)event->record;
}

static inline const uint64_t *event_payload(const struct fact_event *event)
{
	return (const uint64_t *)(event_record(event) + 1);
}

static inline uint64_t event_time(const struct fact_event *event)
{
	return event_record(event)->time_ns;
}

/* The earlier of two times, of which 0 is none. */
static inline uint64_t fact_sooner(uint64_t one, uint64_t other)
{
	if (!one || !other)
		return one ? one : other;
	return one < other ? one : other;
}

static inline uint32_t event_tid(const struct fact_event *event)
{
	return event_record(event)->tid;
}

/* What was added to the record after its commit, by now. */
static inline uint64_t event_later(const struct fact_event *event)
{
	return __atomic_load_n(&event_record(event)->later, __ATOMIC_ACQUIRE);
}

/*
 * A process and those that made it, the nearest first. `at` is the variable of the loop: it begins with the
 * process, and is no slot any more when the last one is done (no parent wraps round).
 */
#define EACH_ANCESTOR_IN(processes, count, at)                                \
	for (uint32_t depth_ = 0; depth_ < MPSAN_ANCESTORS && (at) < (count); \
	     depth_++, (at) = (processes)[at].slot->parent - 1)
#define EACH_ANCESTOR(facts, at) EACH_ANCESTOR_IN((facts)->processes, (facts)->process_count, at)

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
	const struct fact_thread *threads;
	uint32_t thread_count;
	const struct fact_event
		*events; /* those that mpsan_events.def keeps, in the order of time */
	uint32_t event_count;
	struct cuda_facts cuda;
	struct shm_facts shm;
	/* a supervisor watched: ends of processes are known almost to the moment */
	bool followed;
	bool outside; /* the library ran nowhere: processes were examined for a while, and live on */
	bool blind; /* some processes ran without the library: not everything was seen */
};

/* What a fork's child did within FACT_CHILD_NS. */
enum fact_fate { FATE_LIVES, FATE_EXEC, FATE_ENDED };

/* Whether this way of creating a process copies the caller's memory and continues in it. */
bool fact_how_copies(uint64_t how);

/* FATE_LIVES if the child is unknown, as no exec was seen. */
enum fact_fate fact_fate(const struct facts *facts, const struct fact_fork *fork);

/* When that fate was decided; 0: not before `facts->now_ns`. */
uint64_t fact_fate_ns(const struct facts *facts, const struct fact_fork *fork);

/* Whether this hold belongs to that fork. */
bool fact_held_at(const struct facts *facts, uint32_t held, uint32_t fork);

/*
 * The fork that separated process `by` from the holder of a lock: the fork that made `by` if the
 * hold belongs to it, else the fork that logged the hold; without a hold, the fork that made `by`.
 * FACT_NONE: unknown.
 */
uint32_t fact_fork_behind(const struct facts *facts, uint32_t held, uint32_t by);

/* When its parent forked this process, which may run much later; without a fork, when it began. */
uint64_t fact_made_ns(const struct facts *facts, uint32_t slot);

/*
 * Whether a child's copy of this lock would stay locked: held, process-private, and a lock rather
 * than a signal.
 */
bool fact_held_counts(const struct fact_held *held);

/*
 * What an atfork handler had left locked before that wait: same lock, same process. FACT_NONE:
 * nothing.
 */
uint32_t fact_left_before(const struct facts *facts, const struct fact_wait *wait);

/* Whether a thread other than the main one forked. */
bool fact_fork_is_late(const struct facts *facts, const struct fact_fork *fork);

/*
 * Orders by their first lock: the newest one in the hash list of `lock` in process `by`, and the
 * next older one. The list holds other locks, too. FACT_NONE: end.
 */
uint32_t fact_order_of(const struct facts *facts, uint32_t by, uint64_t lock);
uint32_t fact_order_before(const struct facts *facts, uint32_t order);

/* Adds a process to the children of its parent, once its slot names one. */
void fact_child_enter(struct fact_process *processes, uint32_t count, uint32_t slot);

/* Adds the order with this index to its list; to be called in the order of time. */
void fact_order_enter(struct fact_order *orders, uint32_t *lists, uint32_t order);

/* What ends that wait whether or not it succeeds, as far as the library knew when it began. */
enum mpsan_wait_ends fact_wait_ends(const struct fact_wait *wait);

/* Whether the wait provably cannot end: its process or the supervisor proved it. */
bool fact_wait_is_proof(const struct fact_wait *wait);

/*
 * The newest event of this type of a process, older than event `before`, which has the same type
 * and process (FACT_NONE: no bound). FACT_NONE: none.
 */
uint32_t fact_event_of(const struct facts *facts, uint32_t slot, uint32_t type, uint32_t before);

/* Whether process `slot` is `other` or made it, directly or not. */
bool fact_is_ancestor(const struct facts *facts, uint32_t slot, uint32_t other);

/* Whether one of the process's recorded arguments contains `word`. */
bool fact_argv_has(const struct mpsan_process *process, const char *word);
