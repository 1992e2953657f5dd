/*
 * A rule is a pure function: facts and one moment in, findings out. Moments are the points in a session's
 * time at which a rule can know enough to speak; the reader announces each of them exactly once, live or
 * afterwards, in the same order.
 */
#ifndef MPSAN_RULE_H
#define MPSAN_RULE_H

#include "facts.h"

enum grade { GRADE_OFF, GRADE_NOTE, GRADE_WARNING, GRADE_ERROR };

enum moment_kind {
	MOMENT_FORK = 1, /* the fate of a fork's child is known: exec, end, or FACT_CHILD_NS without either */
	MOMENT_WAIT = 2, /* a wait has lasted FACT_WAIT_NS, or its process ended in it after that long */
	MOMENT_UNLOCK = 4, /* an unlock was refused */
};

struct moment {
	enum moment_kind kind;
	uint32_t index; /* into forks, waits or unlocks */
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
};

#define STEPS_MAX 4

struct step {
	enum step_role role;
	const char *what;
};

/*
 * What a rule found. Texts are constant and hold names in braces that the command fills in: {lock} {holder}
 * {holder_at} {forker} {fork_at} {thread} {wait_at} {how} {threads} {child} {pid} {parent} {feeders}.
 */
struct finding {
	enum rule_id rule;
	enum grade grade;
	const char *message;
	const char *fix; /* NULL: the rule's own */
	uint32_t held, fork, wait, unlock; /* indices, FACT_NONE */
	uint32_t step_count;
	struct step step[STEPS_MAX];
};

struct findings {
	void (*add)(struct findings *self, const struct finding *finding);
};

#define RULE(id, ...) void rule_##id(const struct facts *, const struct moment *, struct findings *);
#include "../../include/mpsan_rules.def"
#undef RULE

/* A finding of rule `id` at a moment; `fork_index` and `held_index` may be FACT_NONE. */
#define FINDING(id, moment, fork_index, held_index, ...)                                            \
	(&(struct finding){ .rule = RULE_##id, .fork = (fork_index), .held = (held_index),          \
			    .wait = (moment)->kind == MOMENT_WAIT ? (moment)->index : FACT_NONE,     \
			    .unlock = (moment)->kind == MOMENT_UNLOCK ? (moment)->index : FACT_NONE, \
			    __VA_ARGS__ })

/* One step of a story; rules list them in the order in which they are told. */
#define STEPS(...) .step = { __VA_ARGS__ }, .step_count = STEPS_COUNT(__VA_ARGS__)
#define STEPS_COUNT(...) (sizeof((struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

/* Announces one moment to every rule. */
void rules_run(const struct facts *facts, const struct moment *moment, struct findings *out);

#endif
