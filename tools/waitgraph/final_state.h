/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last picture of a program that is ended from outside while it waits: what its main threads
 * have waited for, and who could have ended that. After five seconds of a wait a draft is recorded,
 * which counts only if the supervisor is killed, too; it is withdrawn when the wait ends. Neighbours: deadlocks.h
 * calls after each snapshot, watch.h when a signal is handed on and at the program's end.
 */
#pragma once

#include "deadlocks.h"

void final_state_look(struct deadlocks *deadlocks);
void final_state_finish(struct deadlocks *deadlocks);

/* A signal ends the program: records all pictures, once. */
void final_state_record(struct deadlocks *deadlocks, int signal);
/* The program has ended otherwise: records those of its processes that a time limit has killed. */
void final_state_record_ended(struct deadlocks *deadlocks);
