/* SPDX-License-Identifier: Apache-2.0 */
/* The registers and the stack of a thread that runs, without stopping it. */
#pragma once

#include <stdint.h>

struct mpsan_stack;

/*
 * What the kernel's profiler (perf_event_open(2)) sees of the thread at its next tick in user space, or in a call that only
 * lets others run, such as sched_yield(), where the kernel permits that (kernel.perf_event_paranoid below 2, CAP_PERFMON):
 * `stack` receives the registers, and behind its head up to `most` bytes of the stack, of which it
 * returns the number. 0: the thread does not run now, or the kernel does not permit it
 * (kernel.perf_event_paranoid above 2 without CAP_PERFMON, seccomp of containers).
 */
uint64_t stack_sample(uint32_t tid, struct mpsan_stack *stack, uint64_t most);
