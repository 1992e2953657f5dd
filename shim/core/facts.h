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

#define FACT_NONE UINT32_MAX /* "no such index" */

/*
 * How long a wait must have lasted, and a child must have lived without exec, before a rule
 * speaks.
 */
#define FACT_WAIT_NS 500000000ull
#define FACT_CHILD_NS 1000000000ull

/* Where a record stands: the log of `slot` at `pos`, written by process `by`. */
struct fact_place {
	uint32_t slot;
	uint32_t by;
	uint32_t tid;
	uint64_t pos;
	uint64_t time_ns;
};

struct fact_process {
	const struct mpsan_process *slot;
	bool gone; /* its end was seen, or /proc no longer has it */
	uint64_t gone_ns; /* when that was known */
	uint64_t exec_ns; /* its first exec, 0: none */
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
	uint32_t list; /* the fork whose holds are those of this one: itself, or an earlier one */
	uint32_t held_begin, held_end; /* they lie in this range of helds */
};

struct fact_wait {
	struct fact_place at;
	struct ev_wait ev;
	uint32_t held; /* index into helds, FACT_NONE: the hold was not recorded */
	uint64_t end_ns; /* 0: still waits */
	uint64_t result;
};

struct fact_unlock {
	struct fact_place at;
	struct ev_unlock_failed ev;
	uint32_t held; /* as in fact_wait */
};

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

/*
 * Whether a hold is a lock that a copy of the process would miss: private, held, a lock and no
 * signal.
 */
bool fact_held_counts(const struct fact_held *held);

/* Whether one of the process's recorded arguments contains `word`. */
bool fact_argv_has(const struct mpsan_process *process, const char *word);

#endif
