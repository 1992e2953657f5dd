/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a copy of a socket for its time limits. */
#include "socket_limit.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/filtered.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static uint64_t limit_of(int socket, uint64_t inode, int option)
{
	struct timeval limit = {0};
	socklen_t bytes = sizeof(limit);
	struct stat file;

	if (fstat(socket, &file) || file.st_ino != inode || !filtered_may(SYS_getsockopt) ||
	    getsockopt(socket, SOL_SOCKET, option, &limit, &bytes))
		return SOCKET_LIMIT_UNKNOWN;
	return (uint64_t)limit.tv_sec * 1000000000u + (uint64_t)limit.tv_usec * 1000u;
}

uint64_t socket_limit_ns(uint32_t pid, int fd, uint64_t inode, int option)
{
	int process = (int)filtered_call(SYS_pidfd_open, pid, 0, 0, 0, 0), copy;
	uint64_t limit = SOCKET_LIMIT_UNKNOWN;

	if (process < 0)
		return limit;
	copy = (int)filtered_call(SYS_pidfd_getfd, process, fd, 0, 0, 0);
	if (copy >= 0) {
		limit = limit_of(copy, inode, option);
		close(copy);
	}
	close(process);
	return limit;
}
