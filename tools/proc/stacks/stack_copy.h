/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the stack of another process's thread. */
#pragma once

#include "../proc.h"

struct mpsan_stack;

/*
 * The stack of a thread in that system call, or at a moment in which it runs, followed in memory by its bytes, as far as it is
 * readable; if wanted, with the signals that the thread blocks: in a handler also the one that it
 * handles. NULL: none; the caller frees it.
 */
struct mpsan_stack *stack_copy(uint32_t pid, uint32_t tid, const struct proc_call *call,
			       bool signals);
