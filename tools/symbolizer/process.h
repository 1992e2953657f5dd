/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbolizer's process, seen by the command: started with the first question, and again after it had to be ended. It has
 * no signal for its end, so that no waitpid() of others meets it. Neighbours: serve.h is what it runs, symbolizer.h asks.
 */
#pragma once

#include <sys/types.h>

#include "message.h"

/* How a question ended. But for the first two the process is ended, too. */
enum process_end {
	PROCESS_ANSWERED,
	PROCESS_UNAVAILABLE, /* it cannot be started: errno */
	PROCESS_CRASHED,
	PROCESS_SLOW, /* it computes, for too long */
	PROCESS_STUCK, /* it waits for a file system */
};

/* Starts it, if it is not there. Returns a number that is another one for each process; 0: it cannot be started. */
uint32_t process_start(void);
enum process_end process_ask(const struct message *question, struct message *answer);

/* What the last one that was ended was reading: see serve(). */
uint32_t process_module(void);

/* 0: there is none. */
pid_t process_pid(void);
void process_stop(void);
