/*
 * Which rule speaks of a wait: pure code for both sides, so that the line that the library prints and
 * the report never name two. Neighbours: say.c asks in the process, core/wait.c for the report.
 */
#ifndef MPSAN_WAIT_RULE_H
#define MPSAN_WAIT_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* In a futex: how glibc's inner locks, Rust's and others say that somebody waits. */
#define FUTEX_CONTENDED 2u

enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "../../include/mpsan_rules.def"
#undef RULE
	RULE_COUNT
};

/* What the choice depends on: of the `wait` event, and of what came before it. */
struct wait_case {
	uint64_t kind, flags, reason;
	bool was_left; /* an atfork handler kept this very lock in this process */
	bool preexec; /* the process was forked for a preexec_fn of subprocess */
	bool in_pool; /* the wait is in a library, and threads that began there were left behind */
};

/* RULE_COUNT: none. */
enum rule_id wait_rule(const struct wait_case *wait);

/* "fork-own-lock"; "" of RULE_COUNT. */
const char *wait_rule_slug(enum rule_id rule);

/* Whether threads of the object at this path may be a pool of its own: not one through which everybody waits. */
bool wait_is_library(const char *path);

#endif
