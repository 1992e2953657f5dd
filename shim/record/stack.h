/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stacks. Nothing is unwound here: registers
 * and a bounded piece of stack go into the log, once per distinct stack. Neighbours: python.c has
 * the Python frames.
 */
#ifndef MPSAN_STACK_H
#define MPSAN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Position of a `stack` record of the calling thread, 0: none. Also notes modules that are new. */
uint64_t stack_own(void);

/*
 * The same of another thread of this process that is blocked in a system call; 0 when it runs.
 * `pthread` is pthread_self() of that thread, which glibc puts at the top of its stack; 0 when not
 * known.
 */
uint64_t stack_of(uint32_t tid, uint64_t pthread);

/* The same as it stood when these registers (all of struct mpsan_stack's) were the thread's. */
uint64_t stack_at(const uint64_t *regs);

/* Position of a `text` record with the Python frames of a thread (0: the calling one), 0: none. */
uint64_t stack_python(uint64_t pthread);

/* Whether a call of the calling thread is to come back to a place from `start` up to `end`. */
bool stack_returns_to(uint64_t start, uint64_t end);

/* Handlers run: exit was called, or main has returned and somebody who is called then says so. */
bool stack_is_exiting(void);

#endif
