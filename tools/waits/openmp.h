/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread waits for in libgomp, by the function that the program called (libgomp's ABI). Neighbours: native.h has the
 * stacks, outside.h names the libraries that keep pools of threads.
 */
#pragma once

#include "native.h"

enum openmp_wait {
	OPENMP_REGION, /* for the threads of a region that it opened itself: only these can end that wait */
	OPENMP_OTHERS, /* for others of its team: a barrier, a critical section, a lock */
};

/* The address in the program to which the call returns that waits so; 0: it waits for something else. */
uint64_t openmp_called(struct native *native, const struct snapshot_thread *thread,
		       enum openmp_wait wait);
