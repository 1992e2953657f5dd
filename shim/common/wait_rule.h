/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rule reports a wait. Compiled into the library and the command, so that the library's line
 * and the report never name different rules. Callers: locks/stderr_lines.c and tools/rules/wait.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The futex value by which glibc's internal locks, Rust's and others mark that a thread waits. */
#define FUTEX_CONTENDED 2u

enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "../../include/mpsan_rules.def"
#undef RULE
	RULE_COUNT
};

/* What the choice depends on: fields of the `wait` event, and what happened before it. */
struct wait_case {
	uint64_t kind, flags, reason;
	bool was_left; /* an atfork handler left this lock held in this process */
	bool preexec; /* the process was forked for a preexec_fn of subprocess */
	bool in_pool; /* the wait is in a library some of whose threads were not copied */
};

/* The rule; RULE_COUNT: none. */
enum rule_id wait_rule(const struct wait_case *wait);

/* The rule's slug, such as "fork-own-lock"; "" for RULE_COUNT. */
const char *wait_rule_slug(enum rule_id rule);

/*
 * Whether threads that started in the object at this path may be its own thread pool. False for
 * objects through which all threads wait, such as libc.
 */
bool wait_is_library(const char *path);
