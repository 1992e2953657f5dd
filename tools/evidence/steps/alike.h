/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, processes and ranks that wait alike are one step of the evidence. Pure, but for the JSON that it makes.
 * Neighbour: ../evidence_deadlock.h.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The wait of a thread. */
struct alike_wait {
	json_t *step; /* as it stands alone; taken over */
	char *place, *awaited; /* where it waits, NULL: unknown; for what; freed */
	char *plain; /* set by alike_steps: `awaited` without descriptors */
	uint64_t lock;
	bool single; /* it has a step of its own, whoever waits alike */
	bool follows; /* it waits for an end */
};

/*
 * Appends the steps of waits. Those of which three or more are alike, by what they wait for, its owner, and their frames in
 * the program, are one, with all of them under `alike`, behind the single ones; where most wait alike, who does
 * something else comes first.
 */
void alike_steps(struct alike_wait *wait, uint32_t count, json_t *steps);

/* Adds the thread of a finding like this one, which waits at the same time, to the step of this one's thread. */
void alike_join(json_t *finding, const json_t *other);
