/* SPDX-License-Identifier: Apache-2.0 */
/* How many processors a process may use. Neighbour: mon_cpu.h. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* By this process's control groups, rounded up; UINT32_MAX: no limit. */
uint32_t quota_processors(void);

/* Adds the processors that another process may use; false if it has ended. */
bool quota_add_affinity(uint32_t pid, cpu_set_t *to);
