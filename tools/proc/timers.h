/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alarms (alarm, setitimer) that are under way on this machine: the kernel tells root when one is due, but not whose it
 * is. Timers of timer_create(2): it tells whom they signal, but not when. Neighbour: proc.h asks whether there are any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ALARMS_MAX 256u

/* When they are due by the kernel's clock, when each was first seen, and how far ahead it is. */
struct alarms {
	uint32_t look; /* of ../proc/proc.h, in which that was read; 0: none */
	uint32_t count;
	struct {
		uint64_t due_ns, seen_ns;
		uint64_t ahead_ns; /* UINT64_MAX: it is not under way any more */
	} item[ALARMS_MAX];
};

/* Adds those that are under way now; none if they are not readable. Forgets the others. */
void alarms_look(struct alarms *alarms, uint64_t now_ns);

/* Whether one that was seen by then is still under way, and due within that time. */
bool alarms_are_due(struct alarms *alarms, uint64_t seen_by_ns, uint64_t within_ns);

/* ---- POSIX timers ---- */

/*
 * Whether one of them, of a clock that goes on while the process rests, sends a signal to this very thread, or one of
 * these, as bits, to the process.
 */
bool posix_timers_signal(uint32_t pid, uint32_t tid, uint64_t signals);
/* The same of what /proc/PID/timers says. */
bool posix_timers_say(const char *text, uint32_t tid, uint64_t signals);

/* Whether the kernel says that none is set on this machine. */
bool posix_timers_rest(void);
