/*
 * Descriptors that are on their way: which of the Unix sockets with unread ones could have got them from
 * processes that the caller knows. Neighbours: descriptors.h finds such sockets; pipes.h and memory_reach.h ask.
 */
#ifndef MPSAN_FLIGHT_H
#define MPSAN_FLIGHT_H

#include "descriptors.h"

/* Who could have sent one. */
struct flight_job {
	bool (*is_ours)(uint32_t pid,
			void *context); /* its processes; who descends from one is, too */
	void *context;
	bool sends; /* it is known to have sent descriptors, or not known not to */
};

/*
 * Whether a process of the job has the other end of the socket, or of a connection that nobody has accepted
 * yet. Where the other end is closed, or the kernel does not tell: whether the job sends any at all.
 */
bool flight_may_be_ours(uint64_t inode, const struct flight_job *job);

/* The inode of a socket; 0: it is none. */
uint64_t flight_socket(const struct descriptor *descriptor);

#endif
