/*
 * How many threads want to run, against how many can: the time for which threads ran or waited for a
 * processor, as the kernel's scheduler counts it. States the worst time of a session at its end.
 * Neighbours: worker table.h, watchlog.h.
 */
#ifndef MPSAN_MON_CPU_H
#define MPSAN_MON_CPU_H

#include "../waitgraph/watchlog.h"
#include "worker_table.h"

/* A stretch of time in which something held at every look. */
struct mon_cpu_span {
	uint64_t ns;
	uint64_t busy_ns, ran_ns; /* of all threads that count */
	uint64_t
		most_ns; /* by how much in one look, at most; of a worker table, how many workers */
	uint32_t processors, processes, threads;
	uint32_t slot; /* whom it is about */
	char *detail;
};

enum mon_cpu_kind { LOAD_HEAVY, LOAD_LIGHT, LOAD_CROWD, LOAD_KINDS };

struct mon_cpu {
	const struct workers *workers;
	uint32_t quota; /* processors by the control group, UINT32_MAX: no limit */
	struct mon_cpu_span now[LOAD_KINDS], longest[LOAD_KINDS];
};

void mon_cpu_init(struct mon_cpu *mon_cpu, const struct workers *workers);
void mon_cpu_look(struct mon_cpu *mon_cpu);
/* States what was found, once. */
void mon_cpu_finish(struct mon_cpu *mon_cpu, struct watchlog *log);

#endif
