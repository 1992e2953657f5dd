/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments of calls that wait for descriptors, and the sets of epoll. */
#include "awaited_fds.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "descriptors.h"
#include "procfs.h"

static bool awaited_fds_add(struct awaited_fds *to, struct awaited_fd fd)
{
	if (to->count == AWAITED_FDS_MAX)
		return false;
	to->item[to->count++] = fd;
	return true;
}

static bool read_poll(struct awaited_fds *to, uint32_t pid, uint64_t at, uint64_t count)
{
	struct pollfd fds[AWAITED_FDS_MAX];

	if (count > AWAITED_FDS_MAX || !proc_peek(pid, at, fds, count * sizeof(*fds)))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (fds[i].fd >= 0)
			awaited_fds_add(to, (struct awaited_fd){.fd = fds[i].fd,
								.output = fds[i].events & POLLOUT});
	return true;
}

static bool read_select(struct awaited_fds *to, uint32_t pid, const struct proc_call *call)
{
	uint64_t bits[3][AWAITED_FDS_MAX / 64] = {0};
	uint64_t count = call->arg[0];

	if (count > AWAITED_FDS_MAX)
		return false;
	for (int i = 0; i < 3; i++)
		if (call->arg[1 + i] && !proc_peek(pid, call->arg[1 + i], bits[i],
						   (count + 63) / 64 * sizeof(uint64_t)))
			return false;
	for (unsigned fd = 0; fd < count; fd++)
		if ((bits[0][fd / 64] | bits[1][fd / 64] | bits[2][fd / 64]) >> fd % 64 & 1)
			awaited_fds_add(
				to, (struct awaited_fd){.fd = (int)fd,
							.output = bits[1][fd / 64] >> fd % 64 & 1});
	return true;
}

/* A registered file stays in the set if its number was given to another one meanwhile. */
static bool is_file(uint32_t tid, int fd, uint64_t inode)
{
	struct descriptor descriptor;
	struct statx file;

	return descriptor_of(tid, fd, &descriptor) && descriptor_stat(&descriptor, &file) &&
	       file.stx_ino == inode;
}

/* One that fired and is not armed again (EPOLLONESHOT) has no events left. */
static bool read_registered(struct awaited_fds *to, uint32_t tid, const char *line)
{
	unsigned long inode;
	unsigned events;
	int fd;

	if (sscanf(line, "tfd: %d events: %x data: %*x pos:%*d ino:%lx", &fd, &events, &inode) != 3)
		return strncmp(line, "tfd:", 4) != 0;
	if (!(events & (EPOLLHUP | EPOLLERR)))
		return true;
	return awaited_fds_add(to, (struct awaited_fd){.fd = fd,
						       .output = events & EPOLLOUT,
						       .replaced = !is_file(tid, fd, inode)});
}

static bool read_epoll(struct awaited_fds *to, uint32_t tid, int fd)
{
	char line[256];
	bool known = true;
	FILE *file = procfs_stream("%u/fdinfo/%d", tid, fd);

	if (!file)
		return false;
	while (known && fgets(line, sizeof(line), file))
		known = read_registered(to, tid, line);
	fclose(file);
	return known;
}

bool awaited_fds_read(struct awaited_fds *to, uint32_t pid, uint32_t tid,
		      const struct proc_call *call)
{
	to->count = 0;
	switch (call->number) {
	case SYS_poll:
	case SYS_ppoll:
		return read_poll(to, pid, call->arg[0], call->arg[1]);
	case SYS_select:
	case SYS_pselect6:
		return read_select(to, pid, call);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return read_epoll(to, tid, (int)call->arg[0]);
	default:
		return call_is_on_descriptor(call) &&
		       awaited_fds_add(to, (struct awaited_fd){.fd = (int)call->arg[0],
							       .output = call_writes(call)});
	}
}
