/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about a deadlock: a set of threads that the supervisor found unable to proceed. One
 * rule reports each deadlock; deadlock_rule() alone decides which. See also facts.h.
 */
#pragma once

#include "rule.h"

/* The fix where deadlock_fills_output(). */
#define DEADLOCK_OUTPUT_FIX                                                                       \
	"read its output before you wait for its end: subprocess's communicate() does both, for " \
	"stdout and stderr; send what you do not need to subprocess.DEVNULL or a file"

/* The first blocked thread of the deadlock whose wait is of that kind; NULL: none. */
const struct fact_blocked *deadlock_waiter(const struct facts *facts,
					   const struct fact_deadlock *deadlock,
					   enum mpsan_lock_kind kind);

/* The first one that writes into a full pipe or socket; NULL: none. */
const struct fact_blocked *deadlock_writer(const struct facts *facts,
					   const struct fact_deadlock *deadlock);

/* Whether a wait for the end of a process, or of any child, is one for this. */
bool deadlock_awaits_process(const struct facts *facts, const struct ev_blocked *ev, uint32_t by);

/* One that reads from a pipe or socket, if possible in the process for whose end the first one waits; NULL: none. */
const struct fact_blocked *deadlock_reader(const struct facts *facts,
					   const struct fact_deadlock *deadlock);

/* Whether a process waits for the end of one that fills a plain pipe, not that of a queue. */
bool deadlock_fills_output(const struct facts *facts, const struct fact_deadlock *deadlock);

/*
 * The only thread of a forked child, among those of a dead end, that waits for a wakeup in private
 * memory: the threads that could have sent it were not copied. NULL: none.
 */
const struct fact_blocked *deadlock_left_child(const struct facts *facts,
					       const struct fact_deadlock *deadlock);

/*
 * The only thread of its process, among those of a dead end, that waits for a file lock which nobody
 * but its own process has, through another descriptor. NULL: none.
 */
const struct fact_blocked *deadlock_file_twice(const struct facts *facts,
					       const struct fact_deadlock *deadlock);

/*
 * The thread that the report is about: that of such a child or file, else the first one recorded.
 * NULL: none.
 */
const struct fact_blocked *deadlock_subject(const struct facts *facts,
					    const struct fact_deadlock *deadlock);

/*
 * The `wait` event that explains a deadlock: one of its threads recorded before it blocked what it
 * waits for. The deadlock then proves that wait, and that wait's rule reports it. An index,
 * FACT_NONE.
 */
uint32_t deadlock_wait(const struct facts *facts, const struct fact_deadlock *deadlock);

/*
 * The worker that crashed, or failed, although one of the threads of a dead end waits for what it was to
 * send: its child or sibling. The first one to end. FACT_NONE: none.
 */
uint32_t deadlock_lost_sender(const struct facts *facts, const struct fact_deadlock *deadlock,
			      const struct fact_blocked *waiter);

/* The rule that the waits would break if they were proven; RULE_COUNT: unknown. */
enum rule_id deadlock_likely(const struct facts *facts, const struct fact_deadlock *deadlock);

/* The rule that reports a deadlock; RULE_COUNT: none. */
enum rule_id deadlock_rule(const struct facts *facts, const struct fact_deadlock *deadlock);

/* Whether its threads are of several processes. */
bool deadlock_is_across(const struct facts *facts, const struct fact_deadlock *deadlock);

/* Whether a thread that polls or ticks may end it after all: it is a warning then. */
bool deadlock_is_doubted(const struct facts *facts, const struct fact_deadlock *deadlock);

/*
 * Whether the wait, if something ends it, needs a certain owner, thread or process to succeed; a
 * wait that anything sent would end is a warning until nothing can end it.
 */
bool deadlock_is_certain(const struct facts *facts, const struct fact_deadlock *deadlock);

/* Whether it reads to the end, which a sibling that was created later keeps from coming. */
bool deadlock_lacks_end(const struct facts *facts, const struct fact_blocked *blocked);
