/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of this machine at which descriptors of shared memory are handed out: torch keeps a copy
 * of each that it has put into a queue until its receiver connects, by multiprocessing's
 * resource_sharer, and asks for it. Neighbours: segment.h, descriptor.h (READY, PEER, LISTENER);
 * hooks/socket.c and hooks/stream.c call.
 */
#ifndef MPSAN_FD_PASSING_H
#define MPSAN_FD_PASSING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "../record/state.h"
#include "segment.h"

/* A socket was bound; connected, or not (`error`). */
void fd_passing_bound(int fd, const struct sockaddr *address, socklen_t length);
void fd_passing_connected(int fd, const struct sockaddr *address, socklen_t length, int error,
			  uint64_t caller);

/*
 * A read, recv or recvmsg on a descriptor that is marked as DESCRIPTOR_PEER has come back: its end, or
 * its break, before a descriptor came is stated. To be called for such descriptors only.
 */
void fd_passing_result(int fd, ssize_t result, int error, uint64_t caller);

/*
 * Messages are about to be sent, and were or were not: the descriptors that they carry. What they were sent for may end
 * this process before the call is back. Both see the same messages in the same order.
 */
#define PEER_RECORDS 8u /* further descriptors are stated when they are gone */
struct fd_passing_sending {
	/* by descriptor: it was READY; its segment leaves for the first time */
	uint64_t ready[4], first[4];
	uint64_t key[PEER_RECORDS], record[PEER_RECORDS];
	uint32_t announced, settled; /* how many were seen */
	bool sent; /* of the message that is settled now */
	int over; /* the socket */
};
/* Whether there is shared memory that a message could carry. */
static inline bool fd_passing_watches(void)
{
	return segment_descriptors;
}

/* Such a message was sent unwatched: that this process sends control data at all is known from now on. */
void fd_passing_sends_control(void);
static inline void fd_passing_unwatched(const struct msghdr *message)
{
	if (message->msg_controllen && !life_has(MPSAN_PROCESS_SENDS))
		fd_passing_sends_control();
}

void fd_passing_sends(struct fd_passing_sending *sending, const struct msghdr *message);
void fd_passing_sent(struct fd_passing_sending *sending, const struct msghdr *message, bool sent);

/* A message was received: the descriptors that it carries. */
void fd_passing_received(int fd, const struct msghdr *message, uint64_t caller);

/*
 * A descriptor of a segment was copied in the way in which Python does: it may wait to be fetched. And one
 * was mapped: the copy that was made of it right before is the mapping's own.
 */
void fd_passing_ready(int from, int to);
void fd_passing_mapped(int fd);

/* A descriptor that is marked as DESCRIPTOR_PEER was copied, or is about to be closed. */
void fd_passing_copied(int from, int to);
void fd_passing_closed(int fd);

/* The process ends: what waits to be fetched is stated. A forked child begins. */
void fd_passing_exit(void);
void fd_passing_forked(void);

#endif
