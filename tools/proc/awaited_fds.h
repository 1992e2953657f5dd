/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The descriptors for which a call waits, from its arguments and from the kernel's list of an epoll set.
 * Neighbours: ready_ends.h asks who could make one ready; ps tells what they are.
 */
#ifndef MPSAN_AWAITED_FDS_H
#define MPSAN_AWAITED_FDS_H

#include "proc.h"

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

#endif
