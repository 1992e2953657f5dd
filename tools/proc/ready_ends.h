/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What could make one of the descriptors ready that a call waits for: poll, select, epoll_wait, or a
 * read of an eventfd. Neighbours: pipes.h knows who holds these ends.
 */
#pragma once

#include "pipes.h"
#include "proc.h"

/* Whoever holds one of the ends, or, of kind PIPE_NOT, any thread of a process, or its end. */
struct ready_end {
	struct pipe_id id;
	unsigned ends;
	uint32_t pid;
};

struct ready_ends {
	ARRAY(struct ready_end) item;
	bool listens; /* else only who connects to a Unix socket */
	bool for_input; /* of poll or select, which does not ask for room to write */
};

/*
 * Adds those of a call, as they are at that time; false if it is no such call, or anything else could
 * make one ready, who connects to a socket for one.
 */
bool ready_ends_add(struct ready_ends *to, uint32_t pid, uint32_t tid, const struct proc_call *call,
		    uint64_t now_ns);

/*
 * How far ahead the first timerfd is due that ends poll, select, epoll_wait, or a read; 0: none that is set is among
 * what they wait for.
 */
uint64_t ready_timer_ns(uint32_t pid, uint32_t tid, const struct proc_call *call);

#define AWAITED_FDS_MAX 256u /* of one call */

struct awaited_fd {
	int fd;
	bool output; /* it asks for room to write */
	bool replaced; /* a registered file whose number was given to another one since */
};

struct awaited_fds {
	uint32_t count;
	struct awaited_fd item[AWAITED_FDS_MAX];
};

/*
 * Those of poll, select, epoll_wait, and of calls that read, write, send, receive, connect or accept.
 * False: it is no such call, or there are others that could not be read.
 */
bool awaited_fds_read(struct awaited_fds *to, uint32_t pid, uint32_t tid,
		      const struct proc_call *call);
