/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fork does not copy. In the last prepare handler the forking thread collects every other
 * thread's claims, checks them against memory, and stores them twice: as events for the report, and
 * in private memory that the child inherits, to look up a lock before it waits for it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"

/*
 * Registers the library's atfork handlers, before the first other handler. `repairs`: a child
 * handler is registered, which may release or reinitialise locks.
 */
void fork_register(bool repairs);

/*
 * Around the real call. Calls that run no atfork handlers pass `handlers` false; the snapshot is
 * taken here for them.
 */
void fork_enter(enum mpsan_how how, bool handlers);
pid_t fork_leave(pid_t result);

/* The two halves of fork_leave for a child that starts elsewhere (clone). */
void fork_born(void);
