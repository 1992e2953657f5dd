/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the program: SIGBUS in shared memory, and SIGSEGV in memory that was left out of the fork
 * which made this process. While such a fault is possible, an observer stands before what the
 * program has for that signal. It works once: it states the fault, puts the program's action back,
 * and returns, so that the instruction faults again and the signal takes its course as if nobody had
 * looked. Whoever asks for the action meanwhile (hooks/signal.c) is told the program's own.
 * Neighbours: mapping.h knows what is mapped where; rules shm-no-space, fork-dontfork-memory.
 */
#ifndef MPSAN_FAULT_H
#define MPSAN_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Bits of fault_watched: signals whose observer is wanted. */
#define FAULT_BUS 1u
#define FAULT_SEGV 2u
extern uint8_t fault_watched;

/* One load for whoever changes the action of a signal. */
static inline bool fault_may_watch(int number)
{
	return __builtin_expect(fault_watched != 0, 0) && (number == SIGBUS || number == SIGSEGV);
}

/* Before the program begins: from now on no file of the session that is cut short is its end. */
void fault_start(void);

/* From now on a fault of this kind (FAULT_…) is worth an observer. Cheap when it is so already. */
void fault_watch(uint8_t which);

/* A file of the session that is mapped here, beside the table and the log: its faults are made good, too. One at a time. */
void fault_guard(const void *memory, uint64_t bytes);
/* Puts back what the program has, for good: what comes may forbid the system calls it would take. */
void fault_end(void);

/*
 * After a call that asked for, or changed, the action of a signal: the answer is made the program's
 * own, and a new action gets its observer. `old` may be NULL.
 */
void fault_asked(int number, bool changed, struct sigaction *old);
/* The same for calls that answer with a handler alone. */
typedef void (*fault_handler)(int);
fault_handler fault_answered(int number, bool changed, fault_handler old);
/* The same for a raw rt_sigaction, whose answer has the kernel's form. */
void fault_asked_raw(int number, bool changed, void *old);
/* Around a call that changes the action that it finds: the program's stands there meanwhile. */
void fault_aside(int number);
void fault_back(int number);

/* A forked child begins: it may lack memory that its parent has. */
void fault_forked(void);

#endif
