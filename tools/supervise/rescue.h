/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `mpsan run` does if it cannot continue, for lack of memory, disk, descriptors or processes,
 * or because it crashed: the program runs on, gets its signals, and its status is passed on. One
 * line says so. Neighbours: program_state.h, launch.h.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"
#include "launch.h"

/* `argv` is the program; like everything passed here it stays the caller's. */
void rescue_prepare(char **argv);

/*
 * Starts the program, see launch.h. Returns 0 with errno on failure. `dir` is removed when the
 * program needs no rescue any more; NULL: none.
 */
pid_t rescue_start(const struct launch_variable *variables, const char *dir);

/*
 * If mpsan crashes while the program runs, `head` notes it and `reports` (a command line of this command;
 * NULL: none) is run when the program has ended.
 */
void rescue_reports(struct mpsan_session *head, char **reports);

/*
 * The program has ended with this status. From now on a signal ends the command soon, a second one
 * at once.
 */
void rescue_ended(int status);
/* Whether there was such a signal. */
bool rescue_is_due(void);

/* Does not return. `why` is a line without its newline. Async-signal-safe once the program runs. */
_Noreturn void rescue(const char *why);

/*
 * As rescue(), for when not even a child can be started: executes the program in this process.
 * Needs no preparation.
 */
_Noreturn void rescue_at_once(char **argv, const char *why);
