/* SPDX-License-Identifier: Apache-2.0 */
/* Helper processes that Python and PyTorch start by themselves. Neighbours: facts.h. */
#pragma once

#include "facts.h"

enum role {
	ROLE_PLAIN,
	ROLE_TRACKER, /* multiprocessing's resource tracker */
	ROLE_FORK_SERVER,
	ROLE_SPAWNED, /* a child of multiprocessing's start methods spawn or forkserver */
	ROLE_SHM_MANAGER, /* torch_shm_manager */
};

enum role role_of(const struct mpsan_process *process);
/* Its name in a sentence; NULL for ROLE_PLAIN and ROLE_SPAWNED. */
const char *role_text(enum role role);
