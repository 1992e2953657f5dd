/* SPDX-License-Identifier: Apache-2.0 */
/* pidfd_getfd: how programs take the descriptors of another process's GPU memory. */
#pragma once

#include <stdint.h>

/*
 * After the call, which returned `fd` or failed with that error: records the descriptor's origin,
 * or why it was refused.
 */
void cuda_fetched(int pidfd, int number, int64_t fd, int error, uint64_t caller);

/*
 * Records why a descriptor of that process was refused; `address`: of the memory there; 0: unknown.
 */
void cuda_fetch_refused(int error, uint32_t pid, uint32_t memory, uint64_t address,
			uint64_t caller);
