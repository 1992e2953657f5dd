/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the program excludes from forks (madvise with MADV_DONTFORK, as RDMA libraries do). A
 * child that accesses it gets SIGSEGV at an address that is valid in its parent. So the parent
 * checks at each fork that such memory is mapped, and the child that it is not: both together are
 * the proof. fault.h sees the signal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dontfork {
	uint64_t start, end;
	uint64_t caller; /* the caller of madvise */
	uint64_t record; /* position of its event, in the log of the calling process */
};

/* madvise excluded memory from later forks, or included it again. */
void dontfork_add(uint64_t address, uint64_t bytes, uint64_t caller);
void dontfork_drop(uint64_t address, uint64_t bytes);

/*
 * Memory was registered with a device, or its library was told to support forks. Kernels from 5.12
 * on copy registered memory at the fork: nothing is recorded there.
 */
void dontfork_registered(uint64_t address, uint64_t bytes, uint64_t caller);
void dontfork_supported(uint64_t caller);

/*
 * Around a fork: before it, and first thing in its child; dontfork_born returns whether anything is
 * missing there.
 */
void dontfork_before_fork(void);
bool dontfork_born(void);

/* In a child: finds the excluded range at this address. Async-signal-safe. */
bool dontfork_find(uint64_t address, struct dontfork *copy);
