/*
 * Who could end a wait that names no owner: the processes at the other end of a pipe, those that
 * map a piece of shared memory or may come to map it, signal handlers. To ask the kernel is dear, so answers are kept for
 * a while: good enough to see that somebody may still act. Before anybody is said to be lost, they
 * are fetched anew. Neighbours: waits.h asks, pipes.h and proc.h know.
 */
#ifndef MPSAN_ENDERS_H
#define MPSAN_ENDERS_H

#include "census.h"
#include "../proc/pipes.h"
#include "reach.h"

struct enders {
	const struct census *census;
	struct pipes pipes;
	uint64_t pipes_ns; /* when they were scanned, 0: never */
	uint64_t pipes_due_ns; /* not before this time are they scanned again without need */
	bool blind; /* a process of the job could not be read */
	ARRAY(struct reach) memory;
};

/* At the beginning of a look. */
void enders_begin(struct enders *enders, const struct census *census);
void enders_finish(struct enders *enders);

/* What is done with an answer. */
struct enders_eye {
	void (*see)(uint32_t process,
		    void *context); /* it could end the wait; index in the census */
	void (*see_job)(void *context); /* any process of the job could */
	void *context;
};

/* Each returns false when somebody else could, too. */
bool enders_of_pipe(struct enders *enders, struct census_thread *thread, unsigned ends,
		    const struct enders_eye *eye);
bool enders_of_memory(struct enders *enders, const struct census_thread *thread,
		      const struct enders_eye *eye);
/* Before a proof: who does not map that memory, but may come to. */
bool enders_of_memory_later(struct enders *enders, const struct census_thread *thread,
			    const struct enders_eye *eye);
/* Whether it is shared with processes whose TIDs mean others than ours. */
bool enders_are_elsewhere(struct enders *enders, const struct census_thread *thread);

/*
 * Finds out once, while a thread stands still: the pipe that it reads or writes; its memory. A FIFO
 * is no such pipe: anybody may open it at any time.
 */
bool enders_find_pipe(struct census_thread *thread);
bool enders_find_memory(struct census_thread *thread, uint64_t address);

/* Fetches anew what is older than this look; false: nothing was. */
bool enders_refresh(struct enders *enders);

#endif
