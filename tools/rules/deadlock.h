/*
 * Questions about a deadlock, the threads that the supervisor saw unable to go on. One rule speaks
 * about each: which one is decided here and nowhere else. Neighbours: facts.h, ../rules/.
 */
#ifndef MPSAN_DEADLOCK_H
#define MPSAN_DEADLOCK_H

#include "rule.h"

/* The first blocked thread of the deadlock that waits in this way; NULL: none does. */
const struct fact_blocked *deadlock_waiter(const struct facts *facts,
					   const struct fact_deadlock *deadlock,
					   enum mpsan_lock_kind kind);

/*
 * The only thread of a forked child, among those of a dead end, that waits to be woken in memory of
 * its own: whoever would have done so was left behind. NULL: there is none.
 */
const struct fact_blocked *deadlock_left_child(const struct facts *facts,
					       const struct fact_deadlock *deadlock);

/* Who suffers: such a child, else the thread that is told first; NULL: none was stated. */
const struct fact_blocked *deadlock_sufferer(const struct facts *facts,
					     const struct fact_deadlock *deadlock);

/*
 * The wait of its own that explains a deadlock: one of its threads said, before it blocked, what it
 * waits for. Such a deadlock is its proof, and told by that wait's rule. An index, FACT_NONE.
 */
uint32_t deadlock_wait(const struct facts *facts, const struct fact_deadlock *deadlock);

/* The rule to which a deadlock belongs; RULE_COUNT: none. */
enum rule_id deadlock_rule(const struct facts *facts, const struct fact_deadlock *deadlock);

#endif
