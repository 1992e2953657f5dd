/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises helper processes by their command lines. A child of a fork server keeps the server's
 * command line.
 */
#include "roles.h"

#include <stddef.h>

enum role role_of(const struct mpsan_process *process)
{
	if (fact_argv_has(process, "multiprocessing.resource_tracker"))
		return ROLE_TRACKER;
	if (fact_argv_has(process, "torch_shm_manager"))
		return ROLE_SHM_MANAGER;
	if (fact_argv_has(process, "multiprocessing.forkserver"))
		return fact_how_copies(process->how) ? ROLE_SPAWNED : ROLE_FORK_SERVER;
	if (fact_argv_has(process, "multiprocessing.spawn"))
		return ROLE_SPAWNED;
	return ROLE_PLAIN;
}

const char *role_text(enum role role)
{
	switch (role) {
	case ROLE_TRACKER:
		return "the resource tracker";
	case ROLE_FORK_SERVER:
		return "the fork server";
	case ROLE_SHM_MANAGER:
		return "torch_shm_manager";
	default:
		return NULL;
	}
}
