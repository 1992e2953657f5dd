/*
 * A rule is a pure function: facts and one moment in, findings out. Moments are the points in a
 * session's time at which a rule can know enough to speak; the reader announces each of them
 * exactly once, live or afterwards, in the same order.
 */
#ifndef MPSAN_RULE_H
#define MPSAN_RULE_H

#include "facts.h"

enum grade { GRADE_OFF, GRADE_NOTE, GRADE_WARNING, GRADE_ERROR };

enum moment_kind {
	/* The fate of a fork's child is known: exec, end, or FACT_CHILD_NS without either. */
	MOMENT_FORK = 1,
	/* A wait has lasted FACT_WAIT_NS, or its process ended in it after that long. */
	MOMENT_WAIT = 2,
	/* An unlock was refused. */
	MOMENT_UNLOCK = 4,
	/* The supervisor stated threads that cannot go on. */
	MOMENT_KNOT = 8,
	/* Two locks were taken in an order that is new. */
	MOMENT_ORDER = 16,
	/* An atfork handler kept a lock. */
	MOMENT_LEFT = 32,
};

struct moment {
	enum moment_kind kind;
	uint32_t index; /* into the array of that kind */
};

enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "../../include/mpsan_rules.def"
#undef RULE
	RULE_COUNT
};

/* The part that a step of a story plays; the command finds stack, frames and names for it. */
enum step_role {
	STEP_HOLDER, /* finding.held: who held the lock at the fork */
	STEP_FORK, /* finding.fork */
	STEP_WAIT, /* finding.wait */
	STEP_UNLOCK, /* finding.unlock */
	STEP_BLOCKED, /* every blocked thread of finding.knot, one step each: {waiter} {awaited} {owner} */
	STEP_ORDER, /* finding.order and every finding.earlier, one step each */
};

#define STEPS_MAX 4
#define ORDERS_MAX 4 /* in a circle of lock orders */

struct step {
	enum step_role role;
	const char *what; /* NULL behind the last step */
};

/*
 * How a finding is told. Texts hold names in braces that the command fills in: {lock} {holder}
 * {taken} {called} {forker} {fork_at} {thread} {wait_at} {how} {threads} {child} {pid} {parent}
 * {feeders} {others} {lost} (threads that were not copied) {pool} {module} (where it waits)
 * {signallers} {left_at} {first} {second} {orders}, and those of a knot: {knot} {awaited} {owner}
 * {dead} {dead_end} {detail} {since}.
 */
struct tale {
	const char *message;
	struct step step[STEPS_MAX];
};

/* What a rule found. Indices may be FACT_NONE. */
struct finding {
	enum rule_id rule;
	enum grade grade;
	const struct tale *tale;
	uint32_t held, fork, wait, unlock;
	uint32_t knot, order, left;
	uint32_t earlier[ORDERS_MAX - 1]; /* the orders that make a circle with it, in its course */
};

struct findings {
	void (*add)(struct findings *self, const struct finding *finding);
};

#define RULE(id, ...) \
	void rule_##id(const struct facts *, const struct moment *, struct findings *);
#include "../../include/mpsan_rules.def"
#undef RULE

/*
 * Adds a finding of rule `id` at a moment; a wait or unlock that is the moment belongs to its
 * proof.
 */
#define FIND(out, id, how_bad, moment, fork_index, held_index, told) \
	finding_add((out), (moment),                                 \
		    (struct finding){.rule = RULE_##id,              \
				     .grade = (how_bad),             \
				     .tale = (told),                 \
				     .fork = (fork_index),           \
				     .held = (held_index)})
void finding_add(struct findings *out, const struct moment *moment, struct finding finding);

/* The rule that speaks of a wait; RULE_COUNT: none. */
enum rule_id rule_of_wait(const struct facts *facts, const struct fact_wait *wait);

/* Announces one moment to every rule. */
void rules_run(const struct facts *facts, const struct moment *moment, struct findings *out);

#endif
