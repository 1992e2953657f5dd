/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread that runs native code repeats itself: a loop that only tests. Neighbour: ../../symbols/pyspin.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stack_spin {
	bool computes; /* or does something else that goes on */
	uint64_t loop; /* else a number for the loop and the frames around it; 0: unknown */
};

/*
 * Samples a thread some thirty times by the kernel's profiler, while it runs for some milliseconds: whether it is at one place
 * of its code and its stack, and comes back to the same few values of its registers and its stack at each instruction, now as
 * when it was sampled there before, while its module's variables, and what its pointers lead to, are the same few, too. Unknown
 * where devices write memory.
 */
struct stack_spin stack_spins(uint32_t pid, uint32_t tid);
