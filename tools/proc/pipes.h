/*
 * Pipes and who holds their ends: of all processes of the machine that can be read, by one walk
 * over /proc. Neighbour: cross.h and the wait-for graph ask who could still read or write.
 */
#ifndef MPSAN_PIPES_H
#define MPSAN_PIPES_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"
#include "in_flight.h"

enum pipe_kind {
	PIPE_NOT, /* nothing that these functions know: a file, a socket, an eventfd */
	PIPE_ANONYMOUS,
	PIPE_NAMED, /* a FIFO in a file system */
	PIPE_ANY, /* an end of any may be in a message that is not received yet */
};

/* A pipe, the same for every process that has it open. */
struct pipe_id {
	enum pipe_kind kind;
	uint64_t device, inode;
};

enum pipe_end { PIPE_END_READ = 1, PIPE_END_WRITE = 2 };

struct pipe_holder {
	struct pipe_id id;
	uint32_t pid;
	unsigned ends; /* enum pipe_end, of all its descriptors together */
};

/* One walk. It takes some milliseconds for a hundred processes, so it is made only when asked for. */
struct pipes {
	ARRAY(struct pipe_holder) holders;
	bool in_flight; /* among them are some of PIPE_ANY */
	ARRAY(uint32_t) unread; /* processes of other users, that nobody may look into */
};

/* What a descriptor of a process is; PIPE_NOT also when it cannot be read. */
struct pipe_id pipe_of(uint32_t pid, int fd);
bool pipe_same(const struct pipe_id *one, const struct pipe_id *other);

/* Of what is on its way it counts what the job may have sent, or is to get. */
void pipes_scan(struct pipes *pipes, const struct flight_job *job);
void pipes_free(struct pipes *pipes);

/* The next process that holds one of these ends, from index `*at` on; NULL: no more. */
const struct pipe_holder *pipes_next(const struct pipes *pipes, const struct pipe_id *id,
				     unsigned ends, uint32_t *at);

/*
 * Whether a process that could not be read descends from one that `is_ours` knows, and so may have
 * inherited an end. A process that is ours and could not be read counts.
 */
bool pipes_are_blind(const struct pipes *pipes, bool (*is_ours)(uint32_t pid, void *context),
		     void *context);

#endif
