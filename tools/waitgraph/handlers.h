/* SPDX-License-Identifier: Apache-2.0 */
/* The signals that a process handles, in words, and handlers that run. */
#pragma once

#include <signal.h>

#include "../waits/snapshot.h"

#define HANDLER_ALARM (1ull << (SIGALRM - 1))

/*
 * "SIGTERM, handled at stop (serve.py:12); SIGUSR1": those of these signals, as bits, for which it
 * has handlers of the program's own. "": none, or unknown. The caller frees it.
 */
char *handlers_text(const struct session *session, uint32_t slot, uint64_t signals);

/*
 * Without those that cannot run while the process stands as it does: all its threads block them, as the handler of a signal
 * blocks that signal, or its main thread runs them already, in Python.
 */
uint64_t handlers_to_come(const struct snapshot *snapshot, uint32_t slot);

/* Whether it is a main thread in such a handler, in Python: what that interrupted goes on only when it returns. */
bool handlers_run(const struct snapshot *snapshot, const struct snapshot_thread *thread);

/*
 * Signals whose handlers end its wait as the program meant them to: those that it handles, unless an owner has to end
 * it. KeyboardInterrupt, which is Python's own, is an end for an Event only.
 */
uint64_t handlers_that_end(const struct session *session, const struct snapshot_thread *thread,
			   bool needs_owner);
/* Whether one is to wake its loop of asyncio, for which asyncio.run() has a KeyboardInterrupt of its own. */
bool handlers_end_loop(const struct session *session, const struct snapshot_thread *thread);

/* No handler of the program could make one of its threads go on; those for faults, and of the C library, say nothing. */
bool handlers_are_none(const struct session *session, uint32_t slot);
