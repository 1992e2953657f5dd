/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture: the tables of a job as text, one line for each row, and what follows from them. `mpsan ps --job` writes it;
 * the tests read it, so that what a user saw becomes a test.
 *
 *   process 100
 *     thread 100 waits WAIT_PROCESS any process 101
 *     thread 104 waits LOCK_SEMAPHORE any process 100 ends poll except 100.107 UNDRAINED
 *   process 101
 *     thread 101 waits LOCK_MUTEX all thread 101.103 ends limit 2.5
 *     thread 103 runs WATCHDOG
 *   => for ever: 100.100 101.101 | 100.104
 *   => cycle: 100.100 101.101
 *   => excuses: UNDRAINED
 *
 * A thread `runs` or `waits`, with the kind of its wait (facts/waits.def), `any` or `all` of its enders (none: nobody),
 * and what else is known of the wait: `holder P.T`, `by-owner`, `asks-itself`, `gives-up`, `ends limit|poll|alarm|timer|
 * handler` with the seconds until then, if they are known, and the threads that cannot end it, with the excuse. A trait
 * (excuses.def) comes last. Groups of dead threads are divided by `|`; `nobody` is dead where there are none. The
 * tests also take names in place of numbers, `before 5:` in place of `for ever:`, several verdicts, and `also:`, after
 * which rows with known names replace those before, others are added, and another verdict follows; `picture NAME` begins
 * another one.
 */
#pragma once

#include <stdio.h>

#include "job.h"

/* `solution` is that of the job with the horizon UINT64_MAX; `now_ns`: the time of the picture. */
void picture_write(FILE *out, const struct job *job, const struct job_solution *solution,
		   uint64_t now_ns);

/* The words for what ends a wait, by enum mpsan_wait_ends; NULL: no such number. */
const char *picture_ends(unsigned ends);
