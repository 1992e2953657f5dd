/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a deadlock says of its end: that nothing ends it, or that a time limit, an alarm or a signal
 * handler will although it cannot succeed. Neighbour: evidence.h builds the rest of the finding.
 */
#pragma once

#include <jansson.h>

#include "../reader/reader.h"

/*
 * Adds `ends` and `ends_seconds` to a finding, and a clause to its message if its wait
 * ends. `handler`: as of callsite_handler; the signal in whose handler it stands does not end it.
 */
char *ends_add(const struct reader *reader, const struct fact_deadlock *deadlock,
	       const char *handler, json_t *finding);
/* The same for a wait that its own process proved. */
char *ends_add_wait(const struct facts *facts, const struct fact_wait *wait, json_t *finding);

/*
 * When the session is over: adds `outcome`, what became of a wait that something ends. `deadlock`,
 * `wait`: as in struct finding.
 */
void ends_add_outcome(const struct reader *reader, uint32_t deadlock, uint32_t wait,
		      json_t *finding);
