/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the program leaves out of its forks (madvise with MADV_DONTFORK, which is what libraries
 * for RDMA do). A child that touches it gets SIGSEGV for an address that is good in its parent. So the
 * parent asks the system at each fork whether such memory is there, and the child whether it is not:
 * what both say is a fact. Neighbours: fault.h observes the signal.
 */
#ifndef MPSAN_DONTFORK_H
#define MPSAN_DONTFORK_H

#include <stdbool.h>
#include <stdint.h>

struct dontfork {
	uint64_t start, end;
	uint64_t caller; /* who asked for it */
	uint64_t record; /* position of its event, in the log of the process that asked */
};

/* madvise has left memory out of forks to come, or is to have it copied again. */
void dontfork_add(uint64_t address, uint64_t bytes, uint64_t caller);
void dontfork_drop(uint64_t address, uint64_t bytes);

/*
 * Memory was registered with a device, or who does so was told that forks are to come. Kernels that
 * copy registered memory at the fork (from 5.12 on) need nothing of it: nothing is stated there.
 */
void dontfork_registered(uint64_t address, uint64_t bytes, uint64_t caller);
void dontfork_supported(uint64_t caller);

/* Around a fork: before it, and first thing in its child, which is told whether anything is missing. */
void dontfork_before_fork(void);
bool dontfork_born(void);

/* In a child: what the fork left out at this address. Safe in a signal handler. */
bool dontfork_find(uint64_t address, struct dontfork *copy);

#endif
