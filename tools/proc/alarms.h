/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alarms (alarm, setitimer) that are under way on this machine. The kernel tells root when one is due, but
 * not whose it is.
 */
#ifndef MPSAN_ALARMS_H
#define MPSAN_ALARMS_H

#include <stdbool.h>
#include <stdint.h>

#define ALARMS_MAX 64u

struct alarms {
	uint32_t count;
	uint64_t due_ns[ALARMS_MAX]; /* CLOCK_MONOTONIC, as the kernel has it */
};

/* The alarms of all processes; none if they are not readable. */
void alarms_read(struct alarms *alarms);

/* Whether one of them is still under way, and due within that time. */
bool alarms_are_due(const struct alarms *alarms, uint64_t within_ns);

#endif
