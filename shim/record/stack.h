/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stacks. Nothing is unwound here: registers and a bounded part of the stack go into the log,
 * once per distinct stack. python.c has the Python frames.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The position of a `stack` record of the calling thread; 0: none. Also records new modules. */
uint64_t stack_own(void);

/*
 * As stack_own, for another thread that is blocked in a system call; 0 if it runs. `pthread` is
 * that thread's pthread_self(), which glibc puts at the top of its stack; 0: unknown.
 */
uint64_t stack_of(uint32_t tid, uint64_t pthread);

/* As stack_own, for a thread with these registers (all of struct mpsan_stack's). */
uint64_t stack_at(const uint64_t *regs);

/*
 * The position of a `text` record with the Python frames of a thread (0: the calling one); 0: none.
 */
uint64_t stack_python(uint64_t pthread);

/* The same with the exception that the calling thread is handling: see python_raised. */
uint64_t stack_raised(void);

/* Whether a call of the calling thread will return to an address from `start` up to `end`. */
bool stack_returns_to(uint64_t start, uint64_t end);

/* Whether exit handlers are running: exit was called, or main has returned. */
bool stack_is_exiting(void);
