/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors in flight: which Unix sockets with unread descriptors could have received them from
 * processes that the caller knows. Neighbours: descriptors.h finds such sockets; pipes.h and
 * memory_reach.h call.
 */
#pragma once

#include "descriptors.h"

/* The possible senders. */
struct flight_job {
	bool (*is_ours)(uint32_t pid,
			void *context); /* one of its processes; descendants count, too */
	void *context;
	bool sends; /* it has sent descriptors, or may have */
};

/*
 * Whether a process of the job has the socket's peer, or that of a connection not accepted yet. If
 * the peer is closed, or the kernel does not tell: whether the job sends descriptors at all.
 */
bool flight_may_be_ours(uint64_t inode, const struct flight_job *job);
