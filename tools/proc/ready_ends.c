/* SPDX-License-Identifier: Apache-2.0 */
/* What each of the descriptors is for which a call waits. */
#include "ready_ends.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "awaited_fds.h"
#include "tcp_peers.h"
#include "unix_diag.h"

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
	return known;
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

	to->for_input = false;
	switch (call->number) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
		return add_awaited(&asking, call, false) && to->item.count > before;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return add_epoll(&asking, call);
	case SYS_read:
	case SYS_readv:
		return pipe_of(tid, (int)call->arg[0]).kind == PIPE_EVENT &&
		       add_fd(&asking, (int)call->arg[0]);
	default:
		return false;
	}
}
