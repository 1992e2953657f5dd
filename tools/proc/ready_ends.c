/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors for which a call waits, from its arguments and the sets of epoll, and what each of them is. */
#include "ready_ends.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "../base/system_calls.h"
#include "../base/util.h"
#include "calls.h"
#include "descriptors.h"
#include "procfs.h"
#include "tcp_peers.h"
#include "unix_diag.h"

#define ANY_END (PIPE_END_READ | PIPE_END_WRITE)

/* ---- calls ---- */

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
	AUTO_CLOSE FILE *file = procfs_stream("%u/fdinfo/%d", tid, fd);

	if (!file)
		return false;
	while (known && fgets(line, sizeof(line), file))
		known = read_registered(to, tid, line);
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

/* ---- timers ---- */

uint64_t ready_timer_ns(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	struct descriptor descriptor;
	struct awaited_fds fds;
	uint64_t first_ns = 0;

	if (!call_is_poll(call) && call->number != SYS_read && call->number != SYS_readv)
		return 0;
	awaited_fds_read(&fds, pid, tid, call);
	for (uint32_t i = 0; i < fds.count; i++) {
		uint64_t ahead_ns = 0;

		if (!fds.item[i].replaced && !fds.item[i].output &&
		    descriptor_of(tid, fds.item[i].fd, &descriptor))
			ahead_ns = descriptor_timer_ns(&descriptor);
		if (ahead_ns && (!first_ns || ahead_ns < first_ns))
			first_ns = ahead_ns;
	}
	return first_ns;
}

/* ---- who could make them ready ---- */

struct asking {
	struct ready_ends *to;
	uint32_t pid, tid;
	uint64_t now_ns;
};

static void add_end(struct asking *asking, struct pipe_id id, unsigned ends)
{
	*ARRAY_ADD(&asking->to->item) = (struct ready_end){id, ends, 0};
}

static void add_process(struct asking *asking, uint32_t pid)
{
	*ARRAY_ADD(&asking->to->item) = (struct ready_end){{0}, 0, pid};
}

/* ---- descriptors ---- */

/* Either end can send, or shut the connection down. */
static bool add_socket(struct asking *asking, uint64_t inode)
{
	struct unix_ends ends = {0};
	uint64_t peer;

	unix_diag_ends(inode, &ends);
	asking->to->listens |= ends.listens;
	if (ends.listens)
		return true;
	peer = ends.peer ? ends.peer : tcp_peer(inode, asking->now_ns);
	if (!peer || peer == TCP_LATER)
		return false;
	add_end(asking, (struct pipe_id){PIPE_SOCKET, 0, inode}, ANY_END);
	add_end(asking, (struct pipe_id){PIPE_SOCKET, 0, peer}, ANY_END);
	return true;
}

static void see_driver(const struct descriptor *descriptor, void *context)
{
	bool *found = context;

	*found |= (!strcmp(descriptor->target, "anon_inode:[io_uring]") &&
		   !descriptor_ring_rests(descriptor)) ||
		  !strncmp(descriptor->target, "anon_inode:kvm", 14) ||
		  (!strncmp(descriptor->target, "/dev/", 5) &&
		   strncmp(descriptor->target, "/dev/null", 9) &&
		   strncmp(descriptor->target, "/dev/pts/", 9) &&
		   strncmp(descriptor->target, "/dev/tty", 8) &&
		   strncmp(descriptor->target, "/dev/shm/", 9) &&
		   strncmp(descriptor->target, "/dev/urandom", 12));
}

/* Whether drivers or completed input and output may write its eventfds. */
static bool has_driver(uint32_t pid)
{
	bool found = false;

	return !descriptors_each(pid, see_driver, &found) || found || proc_has_aio(pid);
}

/* A timer that is not set can be by any thread of the process. */
static bool add_timer(struct asking *asking, const struct descriptor *descriptor)
{
	if (!descriptor_says(descriptor, "it_value: (0, 0)"))
		return false;
	add_process(asking, asking->pid);
	return true;
}

static bool add_other(struct asking *asking, int fd)
{
	struct descriptor descriptor;
	int64_t process;

	if (!descriptor_of(asking->tid, fd, &descriptor))
		return false;
	if (!strcmp(descriptor.target, "anon_inode:[timerfd]"))
		return add_timer(asking, &descriptor);
	if (strcmp(descriptor.target, "anon_inode:[pidfd]"))
		return false;
	process = descriptor_info(&descriptor, "Pid", 10);
	if (process > 0)
		add_process(asking, (uint32_t)process);
	return process > 0;
}

/* False if somebody unknown could make it ready. */
static bool add_fd(struct asking *asking, int fd)
{
	struct pipe_id id = pipe_of(asking->tid, fd);

	switch (id.kind) {
	case PIPE_ANONYMOUS: /* closing this end wakes nobody, but its mode is not known here */
		add_end(asking, id, pipe_other_ends(asking->tid, fd));
		return true;
	case PIPE_SOCKET:
		return add_socket(asking, id.inode);
	case PIPE_EVENT:
		add_end(asking, id, ANY_END);
		return !has_driver(asking->pid);
	default:
		return add_other(asking, fd);
	}
}

/* ---- all of them ---- */

/* Any thread that has an epoll set may change it. */
static bool add_awaited(struct asking *asking, const struct proc_call *call, bool is_set)
{
	struct awaited_fds fds;
	bool known = awaited_fds_read(&fds, asking->pid, asking->tid, call);

	asking->to->for_input = known && !is_set;
	for (uint32_t i = 0; known && i < fds.count; i++) {
		asking->to->for_input &= !fds.item[i].output;
		known = !fds.item[i].replaced && add_fd(asking, fds.item[i].fd);
	}
	asking->to->listens &= known;
	return known && !asking->to->listens;
}

static bool add_epoll(struct asking *asking, const struct proc_call *call)
{
	struct pipe_id id = pipe_of(asking->tid, (int)call->arg[0]);

	add_end(asking, id, ANY_END);
	return id.kind == PIPE_POLL && add_awaited(asking, call, true);
}

bool ready_ends_add(struct ready_ends *to, uint32_t pid, uint32_t tid, const struct proc_call *call,
		    uint64_t now_ns)
{
	struct asking asking = {to, pid, tid, now_ns};
	uint32_t before = to->item.count;

	to->listens = to->for_input = false;
	if (call_is_loop(call))
		return add_epoll(&asking, call);
	if (call_is_poll(call))
		return add_awaited(&asking, call, false) && to->item.count > before;
	return (call->number == SYS_read || call->number == SYS_readv) &&
	       pipe_of(tid, (int)call->arg[0]).kind == PIPE_EVENT &&
	       add_fd(&asking, (int)call->arg[0]);
}
