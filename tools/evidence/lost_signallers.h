/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts about the parent threads that could have signalled the child's wait: those started by the
 * waiting module. Neighbour: pool_threads.h counts them.
 */
#pragma once

#include "../symbols/frames.h"

/* The caller frees the texts. The last but one is NULL without a wait. */
char *lost_signallers_lost(const struct fact_fork *fork); /* the threads that were not copied */
char *lost_signallers_module(struct frames *frames,
			     const struct fact_wait *wait); /* whose code waits */
char *lost_signallers_signallers(const struct reader *reader, struct frames *frames,
				 const struct fact_fork *fork, const struct fact_wait *wait);
char *lost_signallers_left_at(struct frames *frames,
			      const struct fact_left *left); /* taken by a handler */
