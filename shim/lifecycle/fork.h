/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fork leaves behind. The forking thread looks at every other thread's claims in the last
 * prepare handler, asks memory which are true, and writes them down twice: as events for the
 * report, and in private memory that the child inherits, where it can look up a lock that it is
 * about to wait for.
 */
#ifndef MPSAN_FORK_H
#define MPSAN_FORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"

/*
 * Registers our atfork handlers; the first caller of __register_atfork makes it happen before its
 * own. `repairs`: somebody registers a child handler, which may release or re-initialise locks.
 */
void fork_register(bool repairs);

/*
 * Around the real call. Ways that run no atfork handlers say `handlers` false and are prepared
 * here.
 */
void fork_enter(enum mpsan_how how, bool handlers);
pid_t fork_leave(pid_t result);

/* The two halves for a child that comes to life elsewhere (clone). */
void fork_born(void);

#endif
