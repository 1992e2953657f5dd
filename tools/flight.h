/*
 * Descriptors that are on their way: which of the Unix sockets with unread ones could have got them from
 * processes that the caller knows. Neighbours: descriptors.h finds such sockets; pipes.h and reach.h ask.
 */
#ifndef MPSAN_FLIGHT_H
#define MPSAN_FLIGHT_H

#include "descriptors.h"

/*
 * Whether a process that `is_ours` knows, or that descends from one, has the other end of the socket, or of a
 * connection that nobody has accepted yet. True also where the other end is closed, or the kernel does not
 * tell.
 */
bool flight_may_be_ours(uint64_t inode, bool (*is_ours)(uint32_t pid, void *context),
			void *context);

/* The inode of a socket; 0: it is none. */
uint64_t flight_socket(const struct descriptor *descriptor);

#endif
