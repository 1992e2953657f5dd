/*
 * What a program is to find as mpsan found it: its limits and timers, what its signals do, which of them are
 * blocked. The supervisor changes all of them for itself. Neighbours: launch.c hands over, rescue.c does so in an emergency.
 */
#ifndef MPSAN_PROGRAM_STATE_H
#define MPSAN_PROGRAM_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/*
 * Remembers what there is, raises soft limits to the hard ones, lets files that are too long be an error and no signal,
 * and blocks the signals that are meant for the program. Once.
 */
void program_state_take(void);

/* The program's soft limit, which is the own one before program_state_take. */
rlim_t program_state_limit(int which);

/* From now on what this signal did before is the program's; `action` is ours. After program_state_take. */
void program_state_signal(int number, void (*action)(int), int flags);

/* Gives everything back, in a child or right before an exec. Safe in a signal handler. */
void program_state_give(void);

/* The next signal that was meant for the program, or SIGCHLD; 0 when none came in time (-1 ms: for ever). */
int program_state_wait(int patience_ms);

/* From now on these signals, and those that a terminal sends, are for `action`. */
void program_state_end(void (*action)(int));

#endif
