/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a copy of another process's descriptor. */
#include "fd_copy.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "procfs.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* The caller closes it. -1: it cannot be had, or is no longer that object. */
static int copy_of(uint32_t pid, int fd, uint64_t inode)
{
	int process, copy;
	struct stat file;

	if (procfs_source())
		return -1;
	process = (int)filtered_call(SYS_pidfd_open, pid, 0, 0, 0, 0);
	if (process < 0)
		return -1;
	copy = (int)filtered_call(SYS_pidfd_getfd, process, fd, 0, 0, 0);
	close(process);
	if (copy >= 0 && (fstat(copy, &file) || file.st_ino != inode)) {
		close(copy);
		copy = -1;
	}
	return copy;
}

uint64_t fd_copy_socket_limit_ns(uint32_t pid, int fd, uint64_t inode, int option)
{
	int copy = copy_of(pid, fd, inode);
	struct timeval limit = {0};
	socklen_t bytes = sizeof(limit);
	bool known;

	if (copy < 0)
		return SOCKET_LIMIT_UNKNOWN;
	known = filtered_may(SYS_getsockopt) &&
		!getsockopt(copy, SOL_SOCKET, option, &limit, &bytes);
	close(copy);
	return known ? (uint64_t)limit.tv_sec * 1000000000u + (uint64_t)limit.tv_usec * 1000u :
		       SOCKET_LIMIT_UNKNOWN;
}

int fd_copy_pipe_bytes(uint32_t pid, int fd, uint64_t inode)
{
	int copy = copy_of(pid, fd, inode), bytes = -1;

	if (copy < 0)
		return -1;
	if (ioctl(copy, FIONREAD, &bytes))
		bytes = -1;
	close(copy);
	return bytes;
}
