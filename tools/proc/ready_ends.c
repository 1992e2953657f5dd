/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments of poll and select, the sets of epoll, and what each descriptor is. */
#include "ready_ends.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs.h"
#include "tcp_peers.h"
#include "unix_diag.h"

#define FDS_MAX 256u /* looked at in one call */
#define ANY_END (PIPE_END_READ | PIPE_END_WRITE)

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

	*found |= !strcmp(descriptor->target, "anon_inode:[io_uring]") ||
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
	FILE *maps = proc_open_maps(pid);
	char line[512];

	found = !maps || !descriptors_each(pid, see_driver, &found);
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, "/[aio]") != NULL;
	if (maps)
		fclose(maps);
	return found;
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

/* ---- calls ---- */

static bool add_poll(struct asking *asking, uint64_t at, uint64_t count)
{
	struct pollfd fds[FDS_MAX];
	bool known = count <= FDS_MAX && proc_peek(asking->pid, at, fds, count * sizeof(*fds));

	asking->to->for_input = known;
	for (uint64_t i = 0; known && i < count; i++) {
		asking->to->for_input &= !(fds[i].events & POLLOUT);
		known = fds[i].fd < 0 || add_fd(asking, fds[i].fd);
	}
	return known;
}

static bool add_select(struct asking *asking, const struct proc_call *call)
{
	uint64_t bits[3][FDS_MAX / 64] = {0};
	uint64_t count = call->arg[0];
	bool known = count <= FDS_MAX;

	for (int i = 0; known && i < 3; i++)
		known = !call->arg[1 + i] || proc_peek(asking->pid, call->arg[1 + i], bits[i],
						       (count + 63) / 64 * sizeof(uint64_t));
	asking->to->for_input = known;
	for (unsigned fd = 0; known && fd < count; fd++) {
		asking->to->for_input &= !(bits[1][fd / 64] >> fd % 64 & 1);
		if ((bits[0][fd / 64] | bits[1][fd / 64] | bits[2][fd / 64]) >> fd % 64 & 1)
			known = add_fd(asking, (int)fd);
	}
	return known;
}

/* A registered file stays in the set if its number was given to another one meanwhile. */
static bool is_file(const struct asking *asking, int fd, uint64_t inode)
{
	struct descriptor descriptor;
	struct statx file;

	return descriptor_of(asking->tid, fd, &descriptor) && descriptor_stat(&descriptor, &file) &&
	       file.stx_ino == inode;
}

/* One that fired and is not armed again (EPOLLONESHOT) has no events left. */
static bool add_registered(struct asking *asking, const char *line)
{
	unsigned long inode;
	unsigned events;
	int fd;

	if (sscanf(line, "tfd: %d events: %x data: %*x pos:%*d ino:%lx", &fd, &events, &inode) != 3)
		return strncmp(line, "tfd:", 4) != 0;
	if (!(events & (EPOLLHUP | EPOLLERR)))
		return true;
	return is_file(asking, fd, inode) && add_fd(asking, fd);
}

/* Any thread that has the set may change it. */
static bool add_epoll(struct asking *asking, int fd)
{
	struct pipe_id id = pipe_of(asking->tid, fd);
	char line[256];
	bool known = id.kind == PIPE_POLL;
	unsigned count = 0;
	FILE *file;

	file = procfs_stream("%u/fdinfo/%d", asking->tid, fd);
	known &= file != NULL;
	while (known && fgets(line, sizeof(line), file))
		known = ++count < FDS_MAX && add_registered(asking, line);
	if (file)
		fclose(file);
	add_end(asking, id, ANY_END);
	return known;
}

bool ready_ends_add(struct ready_ends *to, uint32_t pid, uint32_t tid, const struct proc_call *call,
		    uint64_t now_ns)
{
	struct asking asking = {to, pid, tid, now_ns};
	uint32_t before = to->item.count;

	to->for_input = false;
	switch (call->number) {
	case SYS_poll:
	case SYS_ppoll:
		return add_poll(&asking, call->arg[0], call->arg[1]) && to->item.count > before;
	case SYS_select:
	case SYS_pselect6:
		return add_select(&asking, call) && to->item.count > before;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return add_epoll(&asking, (int)call->arg[0]);
	case SYS_read:
	case SYS_readv:
		return pipe_of(tid, (int)call->arg[0]).kind == PIPE_EVENT &&
		       add_fd(&asking, (int)call->arg[0]);
	default:
		return false;
	}
}
