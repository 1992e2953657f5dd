/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that the program must inherit as mpsan found it: limits, timers, signal dispositions
 * and mask. The supervisor changes all of them for itself. Neighbours: launch.c restores them in
 * the child, rescue.c in an emergency.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * Saves the state, raises soft limits to the hard ones, turns too large files into an error instead
 * of a signal, and blocks the signals that are meant for the program. Call it once.
 */
void program_state_take(void);

/* The program's soft limit; before program_state_take, our own. */
rlim_t program_state_limit(int which);

/*
 * Sets our action for a signal; the program inherits the previous one. Call it after program_state_take.
 */
void program_state_signal(int number, void (*action)(int), int flags);

/* Restores everything, in a child or right before exec. Async-signal-safe. */
void program_state_give(void);

/* The program runs: from now on what a terminal sends to its whole group ends it, and not us. */
void program_state_started(void);

/*
 * Waits for a signal that was meant for the program, or SIGCHLD; 0 if none arrived in time (-1 ms:
 * no limit). `by_terminal`: whether the kernel sent it, as for a key; NULL: not of interest.
 */
int program_state_wait(int patience_ms, bool *by_terminal);

/* Sends it to the program unless that has got it by itself, or it was not meant for it. */
void program_state_hand_on(pid_t program, int number);

/* From now on `action` handles these signals and those that a terminal sends. */
void program_state_end(void (*action)(int));
