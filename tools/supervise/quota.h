/* How many processors a process may use. Neighbour: mon_cpu.h compares with that. */
#ifndef MPSAN_QUOTA_H
#define MPSAN_QUOTA_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* By the control groups of this process, rounded up; UINT32_MAX: they set no limit. */
uint32_t quota_processors(void);

/* Adds the processors of another process; false when it is gone. */
bool quota_add_affinity(uint32_t pid, cpu_set_t *to);

#endif
