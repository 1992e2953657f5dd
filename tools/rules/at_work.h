/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a thread is known to be doing something, and whom that helps: a wait is no hang while somebody who could end
 * it is at work. Who sleeps, or waits with a time limit, goes on at a known time; one that did so again and again, to no
 * effect, ticks. Pure: the supervisor fills in what it saw.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* As bits. */
enum at_work {
	AT_WORK_NOT = 0, /* nothing is known to come of it */
	AT_WORK_FOR_WAITERS = 1, /* it goes on, which helps who waits for this very thread */
	AT_WORK_FOR_PROCESS = 2, /* or for its process, if it is the main thread */
	AT_WORK = 7, /* it may do anything */
};

/* What a thread did last may have caused the last move of others: that was by so much later at most. */
#define AT_WORK_LATER_NS 1000000000ull

struct at_work_thread {
	bool acts; /* it runs, or did something new lately, or what it does is out of sight */
	bool timed; /* it waits with a time limit, or sleeps */
	bool pauses; /* only to let time pass: it does something else then */
	bool apart; /* for nobody of the job */
	uint64_t began_ns; /* the wait */
	uint64_t length_ns; /* from then to its limit; if that is unknown, until now */
	/* how often it was seen back in the same call, and since when it is there */
	uint32_t rounds;
	uint64_t first_ns;
};

/*
 * What such a thread does. `moved_ns`: when one of those that rest did something last; who did not wake up since may
 * have something to do with it. `patience_ns`: who ticks since before then is of no use to
 * who waits for the thread.
 */
enum at_work at_work_of(const struct at_work_thread *thread, uint64_t moved_ns,
			uint64_t patience_ns);
