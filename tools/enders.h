/*
 * Who could end a wait that names no owner: the processes at the other end of a pipe, those that
 * map a piece of shared memory, signal handlers. To ask the kernel is dear, so answers are kept for
 * a while: good enough to see that somebody may still act. Before anybody is said to be lost, they
 * are fetched anew. Neighbours: waits.h asks, pipes.h and proc.h know.
 */
#ifndef MPSAN_ENDERS_H
#define MPSAN_ENDERS_H

#include "census.h"
#include "pipes.h"

/* The processes of a session that map one piece of shared memory. */
struct sharers {
	uint64_t device, inode;
	uint64_t at_ns; /* when they were asked */
	bool strangers; /* processes that are not of the session map it, too */
	ARRAY(uint32_t) slots;
};

struct enders {
	const struct census *census;
	struct pipes pipes;
	uint64_t pipes_ns; /* when they were scanned, 0: never */
	uint64_t pipes_due_ns; /* not before this time are they scanned again without need */
	bool blind; /* a process of the job could not be read */
	ARRAY(struct sharers) memory;
};

/* At the beginning of a look. */
void enders_begin(struct enders *enders, const struct census *census);
void enders_finish(struct enders *enders);

/*
 * Each calls `see` with the index of every process of the census that could end the wait, and
 * returns false when somebody else could, too. Both remember in the thread what it waits at.
 */
bool enders_of_pipe(struct enders *enders, struct census_thread *thread, unsigned ends,
		    void (*see)(uint32_t process, void *context), void *context);
bool enders_of_memory(struct enders *enders, const struct census_thread *thread,
		      void (*see)(uint32_t process, void *context), void *context);

/*
 * Finds out once, while a thread stands still: the pipe that it reads or writes; its memory. A FIFO
 * is no such pipe: anybody may open it at any time.
 */
bool enders_find_pipe(struct census_thread *thread);
bool enders_find_memory(struct census_thread *thread, uint64_t address);

/* Fetches anew what is older than this look; false: nothing was. */
bool enders_refresh(struct enders *enders);

#endif
