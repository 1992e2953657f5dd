/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the program: SIGBUS in shared memory, and SIGSEGV in memory that was excluded from the
 * fork that created this process. While such a fault is possible, an observer is installed before
 * the program's own action for that signal. It works once: it records the fault, restores the
 * program's action, and returns, so that the instruction faults again and the signal takes its
 * course. Queries of the action meanwhile (hooks/signal.c) return the program's own. mapping.h
 * knows the mappings; rules shm-no-space, fork-dontfork-memory.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Bits of fault_watched: signals that need an observer. */
#define FAULT_BUS 1u
#define FAULT_SEGV 2u
extern uint8_t fault_watched;

/* Whether a signal may have an observer: one load for hooks that change its action. */
static inline bool fault_may_watch(int number)
{
	return __builtin_expect(fault_watched != 0, 0) && (number == SIGBUS || number == SIGSEGV);
}

/* At the start: from now on a truncated file of the session does not kill the program. */
void fault_start(void);

/* Requests an observer for this kind of fault (FAULT_…). Cheap if there is one already. */
void fault_watch(uint8_t which);

/*
 * Also handles faults in another mapped file of the session, besides the table and the log. One at
 * a time.
 */
void fault_guard(const void *memory, uint64_t bytes);
/* Restores the program's actions for good: a coming filter may forbid the system calls for it. */
void fault_end(void);

/*
 * After a call that queried or changed a signal's action: replaces the result by the program's own
 * action, and installs the observer again. `old` may be NULL.
 */
void fault_asked(int number, bool changed, struct sigaction *old);
/* As fault_asked, for calls that return only a handler. */
typedef void (*fault_handler)(int);
fault_handler fault_answered(int number, bool changed, fault_handler old);
/* As fault_asked, for a raw rt_sigaction, whose result has the kernel's form. */
void fault_asked_raw(int number, bool changed, void *old);
/* Around a call that modifies the current action: the program's is installed meanwhile. */
void fault_aside(int number);
void fault_back(int number);

/* In a forked child: it may lack memory that its parent has. */
void fault_forked(void);
