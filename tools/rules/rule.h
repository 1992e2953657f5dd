/*
 * A rule is a pure function: facts and one moment in, findings out. Moments are the points in a
 * session's time at which a rule can know enough to speak; the reader announces each of them
 * exactly once, live or afterwards, in the same order.
 */
#ifndef MPSAN_RULE_H
#define MPSAN_RULE_H

#include "../../shim/common/wait_rule.h"
#include "../facts/ipc.h"
#include "steps.h"

enum grade { GRADE_OFF, GRADE_NOTE, GRADE_WARNING, GRADE_ERROR };

enum trigger_kind {
	/* The fate of a fork's child is known: exec, end, or FACT_CHILD_NS without either. */
	TRIGGER_FORK = 1,
	/* A wait has lasted FACT_WAIT_NS, or its process ended in it after that long. */
	TRIGGER_WAIT = 2,
	/* An unlock was refused. */
	TRIGGER_UNLOCK = 4,
	/* The supervisor stated threads that cannot go on. */
	TRIGGER_DEADLOCK = 8,
	/* Two locks were taken in an order that is new. */
	TRIGGER_ORDER = 16,
	/* An atfork handler kept a lock. */
	TRIGGER_KEPT_LOCK = 32,
	/* A process that inherited an initialised driver called it. */
	TRIGGER_CUDA_CALL = 64,
	/*
	 * CUDA_VISIBLE_DEVICES was changed too late, and it is known whether a child was started
	 * with it.
	 */
	TRIGGER_CUDA_ENV = 128,
	/* Memory left its process, was opened, was freed; a handle was refused. */
	TRIGGER_EXPORT = 256,
	TRIGGER_IPC_OPEN = 512,
	TRIGGER_FREE = 1024,
	TRIGGER_REFUSED = 2048,
	/* An event for other processes was made. */
	TRIGGER_IPC_EVENT = 4096,
	/*
	 * A process that shared device memory has been gone for CUDA_GRACE_NS, or the session was
	 * over; the index is its slot.
	 */
	TRIGGER_SHARER_GONE = 8192,
	/* The session was over, in which device memory was shared. */
	TRIGGER_SHARING_OVER = 16384,
	/* An act was stated, and EVENT_SETTLE_NS have passed or the session was over. */
	TRIGGER_EVENT = 32768,
	/* A process has been gone for ENDED_GRACE_NS, or the session was over; the index is its slot. */
	TRIGGER_ENDED = 65536,
	/* The session was over: once, and the last of all. */
	TRIGGER_CLOSE = 131072,
};

#define ENDED_GRACE_NS 1000000000ull

struct trigger {
	enum trigger_kind kind;
	uint32_t index; /* into the array of that kind */
};

/* The part that a step of a story plays; the command finds stack, frames and names for it. */
enum step_role {
	STEP_HOLDER, /* finding.held: who held the lock at the fork */
	STEP_FORK, /* finding.fork */
	STEP_WAIT, /* finding.wait */
	STEP_UNLOCK, /* finding.unlock */
	/* every blocked thread of finding.deadlock, one step each: {waiter} {awaited} {owner} */
	STEP_BLOCKED,
	STEP_ORDER, /* finding.order and every finding.earlier, one step each */
	STEP_INIT, /* finding.init: who initialised the CUDA driver */
	STEP_CUDA, /* the CUDA call, refusal, free, export or open that is the moment */
	STEP_EXPORT, /* finding.piece: who exported the memory */
	STEP_IMPORT, /* finding.import */
	STEP_IMPORTS, /* everybody who had the piece open then, one step each, a few at most */
	STEP_FREE, /* who freed finding.piece */
	STEP_GONE, /* the end of the process that is the moment */
	STEP_EVENT, /* the act that is the moment */
	STEP_CAUSE, /* finding.cause: an act before it */
	STEP_MAKER, /* finding.segment: who made that shared memory */
	STEP_ENDED, /* finding.process: its end */
};

#define STEPS_MAX 4
#define ORDERS_MAX 4 /* in a circle of lock orders */

struct step {
	enum step_role role;
	const char *what; /* NULL behind the last step */
};

/*
 * How a finding is told. Texts hold names in braces, for which the command puts in what they stand for:
 * ../evidence/args.def has them all.
 */
struct message_text {
	const char *message;
	struct step step[STEPS_MAX];
};

/* Every rule's texts, `static MESSAGE name = {…};`, lie together: a unit test looks for their names. */
#define MESSAGE                   \
	const struct message_text \
		__attribute__((used, section("mpsan_messages"), aligned(sizeof(const char *))))
extern const struct message_text __start_mpsan_messages[], __stop_mpsan_messages[];

/* What a rule found. Indices may be FACT_NONE. */
struct finding {
	enum rule_id rule;
	enum grade grade;
	const struct message_text *message_text;
	uint32_t held, fork, wait, unlock;
	uint32_t deadlock, order, left;
	uint32_t earlier[ORDERS_MAX - 1]; /* the orders that make a circle with it, in its course */
	struct trigger trigger;
	/* Of CUDA, each an index + 1; 0: none. */
	uint32_t init, piece, import, context;
	/* Of acts, shared memory and processes, each an index or slot + 1; 0: none. */
	uint32_t cause, segment, process;
	uint64_t amount; /* what the story is to count: {amount} */
	const char *fix; /* in place of the rule's own; NULL: that one */
};

struct findings {
	void (*add)(struct findings *self, const struct finding *finding);
};

#define RULE(id, ...) \
	void rule_##id(const struct facts *, const struct trigger *, struct findings *);
#include "../../include/mpsan_rules.def"
#undef RULE

/*
 * Adds a finding of rule `id` at a moment; a wait or unlock that is the moment belongs to its
 * proof.
 */
#define FIND(out, id, how_bad, trigger, fork_index, held_index, told) \
	finding_add((out), (trigger),                                 \
		    (struct finding){.rule = RULE_##id,               \
				     .grade = (how_bad),              \
				     .message_text = (told),          \
				     .fork = (fork_index),            \
				     .held = (held_index)})
/* The same for CUDA: of a driver that was initialised before a fork, and of memory that is shared. */
#define FIND_FORKED(out, id, how_bad, trigger, init_index, fork_index, told) \
	finding_add((out), (trigger),                                        \
		    (struct finding){.rule = RULE_##id,                      \
				     .grade = (how_bad),                     \
				     .message_text = (told),                 \
				     .fork = (fork_index),                   \
				     .held = FACT_NONE,                      \
				     .init = (init_index)})
#define FIND_SHARED(out, id, how_bad, trigger, piece_index, import_index, told) \
	finding_add((out), (trigger),                                           \
		    (struct finding){.rule = RULE_##id,                         \
				     .grade = (how_bad),                        \
				     .message_text = (told),                    \
				     .fork = FACT_NONE,                         \
				     .held = FACT_NONE,                         \
				     .piece = (piece_index),                    \
				     .import = (import_index)})
/* The same for acts and processes: .cause, .segment, .process, .amount as named arguments. */
#define FIND_EVENT(out, id, how_bad, trigger, told, ...)     \
	finding_add((out), (trigger),                        \
		    (struct finding){.rule = RULE_##id,      \
				     .grade = (how_bad),     \
				     .message_text = (told), \
				     .fork = FACT_NONE,      \
				     .held = FACT_NONE __VA_OPT__(, ) __VA_ARGS__})
void finding_add(struct findings *out, const struct trigger *trigger, struct finding finding);

/* The rule that speaks of a wait; RULE_COUNT: none. */
enum rule_id rule_of_wait(const struct facts *facts, const struct fact_wait *wait);

/* Announces one moment to every rule. */
void rules_run(const struct facts *facts, const struct trigger *trigger, struct findings *out);

#endif
