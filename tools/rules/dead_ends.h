/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a deadlock comes down to: its title, story and cure by what is waited for in the end. The
 * table is dead_ends.def. Neighbour: deadlock.h.
 */
#pragma once

#include "rule.h"

struct dead_end {
	const char *title, *fix;
	const struct message_text *message;
	bool undelivered; /* a Pool's thread for results has ended */
};

/* The row that fits; there is always one. */
struct dead_end dead_end_of(const struct facts *facts, const struct fact_deadlock *deadlock);

/* The blocked thread that one waits for on the way there; NULL: it is the last one. */
const struct fact_blocked *dead_end_next(const struct facts *facts,
					 const struct fact_deadlock *deadlock,
					 const struct fact_blocked *from);

/*
 * The blocked thread at which the subject's wait comes to its end: whom it joins, whom that one
 * waits for, and so on. The deadlock has at least one thread.
 */
const struct fact_blocked *dead_end_last(const struct facts *facts,
					 const struct fact_deadlock *deadlock);

/* Whether it waits at what may be a lock, but who has it is not known, nor whether it is one. */
bool dead_end_is_unknown(const struct fact_blocked *last);

/* Whether its greenlets wait as they should: by their hub, for events, with a timer or without. */
bool dead_end_in_hub(const struct fact_blocked *blocked);

/* Whether that thread runs a task of a pool, and waits there for a result. */
bool dead_end_is_nested(const struct fact_blocked *blocked);
