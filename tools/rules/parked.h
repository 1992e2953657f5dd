/*
 * Whether a dead end was meant: threads that nobody in the job can wake any more, because a signal from
 * outside (Ctrl-C, a service manager) is the only thing that was ever to come. What tells them from a
 * lost sentinel is whether anybody was ever meant to send; see ../decisions/0007-when-idle-is-meant.md. Pure: the
 * supervisor fills in what it saw. Neighbour: deadlock.h judges what is stated of dead ends that were not meant.
 */
#ifndef MPSAN_PARKED_H
#define MPSAN_PARKED_H

#include <stdbool.h>
#include <stdint.h>

enum parked_wait {
	PARKED_BLOCKED, /* amid work: for a lock, room in a pipe, peers, an answer, its own input */
	PARKED_MEETS, /* for peers at a barrier: amid work, unless it is all by itself */
	PARKED_JOINS, /* for the end of a thread or process, or of a task that a thread runs */
	PARKED_IDLE, /* for something to come: work, a signal, an item */
	/* a main thread that waits for an event in its own code: until it is interrupted */
	PARKED_FOR_GOOD,
};

#define PARKED_NONE UINT32_MAX

/* One thread of a dead end. */
struct parked_thread {
	enum parked_wait wait;
	uint32_t process; /* threads of the same process have the same */
	/* the process that made that one, PARKED_NONE: it is not in the dead end */
	uint32_t parent;
	bool is_main;
	bool is_helper; /* of Python's own processes (the resource tracker): nobody waits for it */
	bool was_sent; /* something came this way before */
	bool sender_ended; /* a thread or process that could have sent has ended */
	/* Of PARKED_JOINS: */
	/* who is to end, as an index; PARKED_NONE: not known, or it is a process */
	uint32_t thread;
	bool of_process; /* a child, whichever: all of them are waited for in the end */
	bool of_tasks; /* threads, whose `awaited_by` says so */
	/* Of any: who waits for the result of its task, as an index; PARKED_NONE: nobody, or it has none. */
	uint32_t awaited_by;
};

/*
 * Nobody is blocked amid work, and all who are waited for (by the first processes of the dead end, and by those
 * whose end they wait for) wait for what nobody was ever meant to send. `wanted` is scratch, one for each thread.
 */
bool parked_is_meant(const struct parked_thread *thread, uint32_t count, bool *wanted);

#endif
