/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel tells of a thread beyond its system call: stopped, traced, asleep for good or not, and
 * since when. Neighbour: ../proc/proc.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_state {
	char state; /* as in proc(5); 0: it has ended */
	uint32_t tracer; /* PID of the debugger; 0: none */
	/* it has not run since then, or longer: CLOCK_MONOTONIC. 0: the kernel does not tell */
	uint64_t asleep_ns;
	uint64_t read_pages; /* how often it waited for a page from a disk, since it began */
};

struct thread_state thread_state(uint32_t pid, uint32_t tid);

/* The functions of the kernel in which it is, innermost first: "a < b < c". "": not readable. */
void thread_state_kernel(uint32_t pid, uint32_t tid, char *text, size_t bytes);

/* Whether a control group has frozen the process. */
bool thread_state_is_frozen(uint32_t pid);
