/*
 * Who is there and works: the processes of a census with what is known of each over its whole life. The
 * looks at load, affinity and memory start from here. Neighbours: census.h, people.h.
 */
#ifndef MPSAN_CROWD_H
#define MPSAN_CROWD_H

#include "../waitgraph/census.h"

struct crowd_member {
	bool worker; /* as people_is_worker says */
	bool python; /* and it runs Python */
	uint8_t looks; /* at which it was there, while that is of interest */
	uint16_t flags; /* of its slot when it was last looked up */
	uint64_t exec_ns; /* the same */
	uint32_t parent; /* slot, FACT_NONE */
	uint32_t threads;
	uint64_t busy_ns; /* since the last look: for how long its threads ran or wanted to */
	uint64_t ran_ns; /* of that, on a processor */
	uint64_t total_ns; /* since it was first seen */
};

struct crowd {
	const struct reader *reader;
	const struct census *census;
	struct crowd_member *member; /* by slot */
};

void crowd_init(struct crowd *crowd, const struct reader *reader, const struct census *census);
void crowd_finish(struct crowd *crowd);

/* Takes in a new census. */
void crowd_take(struct crowd *crowd);

/* For how long a thread of the census ran or wanted to since the last look. */
uint64_t crowd_busy_ns(const struct census *census, uint32_t thread);

/* Goes through the processes of the census. */
#define CROWD_EACH(crowd, slot)                                              \
	for (uint32_t slot##_at = 0, slot;                                   \
	     slot##_at < (crowd)->census->processes.count &&                 \
	     (slot = (crowd)->census->processes.item[slot##_at].slot, true); \
	     slot##_at++)

#endif
