/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the threads that want to run with the processors: the time for which threads ran or
 * waited for a processor, as the kernel's scheduler counts it. Records the worst period of a
 * session at its end. Neighbours: worker_table.h, watchlog.h.
 */
#pragma once

#include "../../waits/watchlog.h"
#include "worker_table.h"

/* A period in which a condition held in every snapshot. */
struct mon_cpu_span {
	uint64_t ns;
	uint64_t busy_ns, ran_ns; /* of all threads that count */
	uint64_t computing_ns; /* busy_ns of workers and Python */
	uint64_t
		most_ns; /* the largest excess in one snapshot; for workers, their largest number */
	uint32_t processors, processes, threads;
	uint32_t slot; /* process it is about */
	char *detail;
};

enum mon_cpu_kind { LOAD_HEAVY, LOAD_LIGHT, LOAD_CROWD, LOAD_KINDS };

struct mon_cpu {
	const struct workers *workers;
	uint32_t quota; /* processors by the control group; UINT32_MAX: no limit */
	bool company; /* in this snapshot the processors were not busy with these processes alone */
	struct mon_cpu_span now[LOAD_KINDS], longest[LOAD_KINDS];
};

/*
 * The part of its time for which a thread would have been runnable if it had never waited for a
 * processor: it rests as long after as much work. Pure.
 */
double mon_cpu_alone(uint64_t ran_ns, uint64_t waited_ns, uint64_t age_ns);

void mon_cpu_init(struct mon_cpu *mon_cpu, const struct workers *workers);
void mon_cpu_look(struct mon_cpu *mon_cpu);
/* Records the result; call it once. */
void mon_cpu_finish(struct mon_cpu *mon_cpu, struct watchlog *log);
