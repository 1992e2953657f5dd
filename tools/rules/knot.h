/*
 * Questions about a knot, the threads that the supervisor saw unable to go on. One rule speaks
 * about each: which one is decided here and nowhere else. Neighbours: facts.h, ../rules/.
 */
#ifndef MPSAN_KNOT_H
#define MPSAN_KNOT_H

#include "rule.h"

/* The first blocked thread of the knot that waits in this way; NULL: none does. */
const struct fact_blocked *knot_waiter(const struct facts *facts, const struct fact_knot *knot,
				       enum mpsan_lock_kind kind);

/*
 * The only thread of a forked child, among those of a dead end, that waits to be woken in memory of
 * its own: whoever would have done so was left behind. NULL: there is none.
 */
const struct fact_blocked *knot_left_child(const struct facts *facts, const struct fact_knot *knot);

/* Who suffers: such a child, else the thread that is told first; NULL: none was stated. */
const struct fact_blocked *knot_sufferer(const struct facts *facts, const struct fact_knot *knot);

/*
 * The wait of its own that explains a knot: one of its threads said, before it blocked, what it
 * waits for. Such a knot is its proof, and told by that wait's rule. An index, FACT_NONE.
 */
uint32_t knot_wait(const struct facts *facts, const struct fact_knot *knot);

/* The rule to which a knot belongs; RULE_COUNT: none. */
enum rule_id knot_rule(const struct facts *facts, const struct fact_knot *knot);

#endif
