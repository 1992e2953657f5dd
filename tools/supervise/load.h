/*
 * How many threads want to run, against how many can: the time for which threads ran or waited for a
 * processor, as the kernel's scheduler counts it. States the worst time of a session at its end.
 * Neighbours: crowd.h, watchlog.h.
 */
#ifndef MPSAN_LOAD_H
#define MPSAN_LOAD_H

#include "crowd.h"
#include "../waitgraph/watchlog.h"

/* A stretch of time in which something held at every look. */
struct load_span {
	uint64_t ns;
	uint64_t busy_ns, ran_ns; /* of all threads that count */
	uint64_t most_ns; /* by how much in one look, at most; of a crowd, how many workers */
	uint32_t processors, processes, threads;
	uint32_t slot; /* whom it is about */
	char *detail;
};

enum load_kind { LOAD_HEAVY, LOAD_LIGHT, LOAD_CROWD, LOAD_KINDS };

struct load {
	const struct crowd *crowd;
	uint32_t quota; /* processors by the control group, UINT32_MAX: no limit */
	struct load_span now[LOAD_KINDS], longest[LOAD_KINDS];
};

void load_init(struct load *load, const struct crowd *crowd);
void load_look(struct load *load);
/* States what was found, once. */
void load_finish(struct load *load, struct watchlog *log);

#endif
