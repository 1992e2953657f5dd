/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rule is a pure function from facts and one trigger to findings. Triggers are the points in a
 * session at which a rule can know enough to judge. The reader raises each of them exactly once and
 * in the same order, live or afterwards.
 */
#pragma once

#include "../../shim/common/proof_rule.h"
#include "../facts/ipc.h"
#include "steps.h"

#define GRADES                    \
	GRADE(OFF, "off")         \
	GRADE(NOTE, "note")       \
	GRADE(WARNING, "warning") \
	GRADE(ERROR, "error")

enum grade {
#define GRADE(name, text) GRADE_##name,
	GRADES
#undef GRADE
};

enum trigger_kind {
	/* The fate of a fork's child is known: exec, end, or FACT_CHILD_NS without either. */
	TRIGGER_FORK = 1,
	/* A wait has lasted FACT_WAIT_NS, or its process ended in it after that time. */
	TRIGGER_WAIT = 2,
	/* An unlock failed. */
	TRIGGER_UNLOCK = 4,
	/* The supervisor recorded a deadlock. */
	TRIGGER_DEADLOCK = 8,
	/* Two locks were taken in a new order. */
	TRIGGER_ORDER = 16,
	/* An atfork handler left a lock held. */
	TRIGGER_KEPT_LOCK = 32,
	/* A process that inherited an initialised driver called it. */
	TRIGGER_CUDA_CALL = 64,
	/*
	 * CUDA_VISIBLE_DEVICES was changed too late, and it is known whether a child started with
	 * it.
	 */
	TRIGGER_CUDA_ENV = 128,
	/* Memory was exported, opened or freed; an export was refused. */
	TRIGGER_EXPORT = 256,
	TRIGGER_IPC_OPEN = 512,
	TRIGGER_FREE = 1024,
	TRIGGER_REFUSED = 2048,
	/* An interprocess event was created. */
	TRIGGER_IPC_EVENT = 4096,
	/*
	 * A process that shared device memory ended CUDA_GRACE_NS ago, or the session is over; the
	 * index is its slot.
	 */
	TRIGGER_SHARER_GONE = 8192,
	/* The session is over, and device memory was shared in it. */
	TRIGGER_SHARING_OVER = 16384,
	/* An event fact was recorded EVENT_SETTLE_NS ago, or the session is over. */
	TRIGGER_EVENT = 32768,
	/* A process ended ENDED_GRACE_NS ago, or the session is over; the index is its slot. */
	TRIGGER_ENDED = 65536,
	/* The session is over: once, the last trigger of all. */
	TRIGGER_CLOSE = 131072,
};

#define ENDED_GRACE_NS 1000000000ull

struct trigger {
	enum trigger_kind kind;
	uint32_t index; /* into the array of that kind */
};

enum step_role {
#define ROLE(constant, name, meaning) constant,
#include "step_roles.def"
#undef ROLE
};

#define STEPS_MAX 4
#define ORDERS_MAX 4 /* in a cycle of lock orders */

struct step {
	enum step_role role;
	const char *what; /* NULL behind the last step */
};

/*
 * The texts of a finding. The command replaces the names in braces; ../evidence/args.def lists
 * them.
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

/*
 * What a rule found. Its references are slots, or indices into the arrays of the facts, each + 1; 0 is none, and so
 * is FACT_NONE + 1.
 */
struct finding {
	enum rule_id rule;
	enum grade grade;
	const struct message_text *message_text;
	struct trigger trigger;
	uint32_t held, fork;
	uint32_t wait, unlock, deadlock, order, left; /* the trigger, if it is of that kind */
	uint32_t earlier[ORDERS_MAX - 1]; /* the orders that form a cycle with it, in sequence */
	uint32_t init, piece, import, context; /* of CUDA */
	uint32_t cause, segment, process; /* of events, shared memory and processes */
	uint64_t amount; /* a count for the texts: {amount} */
	const char *title, *fix; /* replace those of the rule; NULL: keep that */
};

struct findings {
	void (*add)(struct findings *self, const struct finding *finding);
};

#define RULE(id, ...) \
	void rule_##id(const struct facts *, const struct trigger *, struct findings *);
#include "../../include/mpsan_rules.def"
#undef RULE

/* Adds a finding of rule `id` for a trigger; the wait or unlock of the trigger belongs to it. */
#define FIND(out, id, how_bad, trigger, fork_index, held_index, told) \
	finding_add((out), (trigger),                                 \
		    (struct finding){.rule = RULE_##id,               \
				     .grade = (how_bad),              \
				     .message_text = (told),          \
				     .fork = (fork_index) + 1,        \
				     .held = (held_index) + 1})
/* Like FIND, for CUDA: a driver that was initialised before a fork, and shared device memory. */
#define FIND_FORKED(out, id, how_bad, trigger, of_init, fork_index, told) \
	finding_add((out), (trigger),                                     \
		    (struct finding){.rule = RULE_##id,                   \
				     .grade = (how_bad),                  \
				     .message_text = (told),              \
				     .fork = (fork_index) + 1,            \
				     .init = (of_init)})
#define FIND_SHARED(out, id, how_bad, trigger, of_piece, of_import, told) \
	finding_add((out), (trigger),                                     \
		    (struct finding){.rule = RULE_##id,                   \
				     .grade = (how_bad),                  \
				     .message_text = (told),              \
				     .piece = (of_piece),                 \
				     .import = (of_import)})
/* Like FIND, for events and processes: .cause, .segment, .process, .amount as named arguments. */
#define FIND_EVENT(out, id, how_bad, trigger, told, ...) \
	finding_add((out), (trigger),                    \
		    (struct finding){.rule = RULE_##id,  \
				     .grade = (how_bad), \
				     .message_text = (told)__VA_OPT__(, ) __VA_ARGS__})
void finding_add(struct findings *out, const struct trigger *trigger, struct finding finding);

/* The rule that reports a wait; RULE_COUNT: none. */
enum rule_id rule_of_wait(const struct facts *facts, const struct fact_wait *wait);

/* Calls every rule that has this trigger. */
void rules_run(const struct facts *facts, const struct trigger *trigger, struct findings *out);
