/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unix sockets that pass descriptors of shared memory: torch keeps a copy of each descriptor that
 * it put into a queue until the receiver connects, through multiprocessing's resource_sharer, and
 * fetches it. See segment.h, descriptor.h (READY, PEER, LISTENER); hooks/socket.c and
 * hooks/stream.c call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "../record/state.h"
#include "segment.h"

/* A socket was bound; or connected, successfully or not (`error`). */
void fd_passing_bound(int fd, const struct sockaddr *address, socklen_t length);
void fd_passing_connected(int fd, const struct sockaddr *address, socklen_t length, int error,
			  uint64_t caller);

/*
 * A read, recv or recvmsg on a descriptor marked DESCRIPTOR_PEER returned: records its end or its
 * failure before a descriptor arrived. Call it for such descriptors only.
 */
void fd_passing_result(int fd, ssize_t result, int error, uint64_t caller);

/*
 * Messages are about to be sent, and then were sent or not: records the descriptors that they
 * carry, before the call, because the receiver may end this process before it returns. Both
 * functions see the same messages in the same order.
 */
#define PEER_RECORDS 8u /* further descriptors are recorded after the call */
struct fd_passing_sending {
	/* by descriptor: it was READY; its segment is sent for the first time */
	uint64_t ready[4], first[4];
	uint64_t key[PEER_RECORDS], record[PEER_RECORDS];
	uint32_t announced, settled; /* how many were seen */
	bool sent; /* of the current message */
	int over; /* the socket */
};
/* Whether there is shared memory whose descriptor a message could carry. */
static inline bool fd_passing_watches(void)
{
	return segment_descriptors && !life.forks_only;
}

/* Records that this process sends control data at all, in a message that is not examined. */
void fd_passing_sends_control(void);
static inline void fd_passing_unwatched(const struct msghdr *message)
{
	if (message->msg_controllen && !life_has(MPSAN_PROCESS_SENDS))
		fd_passing_sends_control();
}

void fd_passing_sends(struct fd_passing_sending *sending, const struct msghdr *message);
void fd_passing_sent(struct fd_passing_sending *sending, const struct msghdr *message, bool sent);

/* A message was received: records the descriptors that it carries. */
void fd_passing_received(int fd, const struct msghdr *message, uint64_t caller);

/*
 * fd_passing_ready: a segment's descriptor was copied as Python does it: the copy may wait to be
 * fetched. fd_passing_mapped: a descriptor was mapped: the copy made right before belongs to the
 * mapping. fd_passing_hands: something is about to be written, maybe to tell who is to fetch it.
 */
void fd_passing_ready(int from, int to);
void fd_passing_mapped(int fd);
void fd_passing_hands(int fd);

/* A descriptor marked DESCRIPTOR_PEER was copied, or is about to be closed. */
void fd_passing_copied(int from, int to);
void fd_passing_closed(int fd);

/*
 * fd_passing_exit: the process ends: records copies that wait to be fetched. fd_passing_forked: a
 * forked child starts.
 */
void fd_passing_exit(void);
void fd_passing_forked(void);
