/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of wait it is, by what is at the other end of the descriptors: a host, a process, a terminal. */
#include <stdlib.h>
#include <string.h>

#include "../base/system_calls.h"
#include "../proc/descriptors.h"
#include "../proc/process/status.h"
#include "../proc/ready_ends.h"
#include "ps_kind.h"
#include "sockets.h"

#define FDS_LOOKED_AT 64u

const struct pipes *kind_pipes(struct kind_look *look, bool locks)
{
	struct flight_job job;

	if (!look->ps->piped || (locks && !look->ps->pipes.locks)) {
		job = memory_reach_job(look->ps->snapshot);
		pipes_free(&look->ps->pipes);
		look->ps->pipes.locks = locks;
		pipes_scan(&look->ps->pipes, &job);
		look->ps->piped = true;
	}
	return &look->ps->pipes;
}

/* A process that has just begun may not have been seen yet. */
enum kind kind_of_other(const struct kind_look *look, uint32_t pid)
{
	struct snapshot *snapshot = look->ps->snapshot;

	return proc_descends(pid, snapshot_has_pid, snapshot) ? KIND_peer : KIND_outside;
}

static bool is_child(const struct kind_look *look, uint32_t pid)
{
	struct proc_stat stat = proc_stat(pid, pid);

	return stat.forked && stat.parent == look->thread->pid;
}

/*
 * Whether it is a pipe or connection by which threads of this process wake a thread of a library, as a loop of
 * gloo's, and of which children have copies only because they were forked.
 */
static bool is_for_own(struct kind_look *look, const struct pipe_id *id, unsigned ends)
{
	const struct pipes *pipes = kind_pipes(look, false);
	const struct pipe_holder *holder;
	uint32_t at = 0;
	bool own = false;

	if (look->thread->tid == look->thread->pid || json_array_size(look->found->python))
		return false;
	while ((holder = pipes_next(pipes, id, ends, &at))) {
		own |= holder->pid == look->thread->pid;
		if (holder->pid != look->thread->pid && !is_child(look, holder->pid))
			return false;
	}
	return own;
}

/* A process that has one of these ends, one of the program if there is; 0: none that we may see. */
static uint32_t holder_of(struct kind_look *look, const struct pipe_id *id, unsigned ends)
{
	const struct pipes *pipes = kind_pipes(look, false);
	const struct pipe_holder *holder;
	uint32_t at = 0, found = 0;

	while ((holder = pipes_next(pipes, id, ends, &at))) {
		bool is_ours = snapshot_has_pid(holder->pid, look->ps->snapshot);

		if (!pipe_same(&holder->id, id) || holder->pid == look->thread->pid)
			continue;
		found = !found || is_ours ? holder->pid : found;
		if (is_ours)
			break;
	}
	return found;
}

/* The process at the other end; 0: it is not known, or its own. */
static uint32_t other_of(struct kind_look *look, const struct pipe_id *id, unsigned ends)
{
	return is_for_own(look, id, ends) ? 0 : holder_of(look, id, ends);
}

/* "data from ", with who has the other end. */
static void waits_for_process(struct kind_look *look, const char *what, const char *peer,
			      uint32_t by)
{
	char name[PROC_COMMAND_BYTES];

	proc_command(by, name);
	kind_is(look, kind_of_other(look, by),
		text_format("%s process %u (%s)%s%s", what, by, name, *peer ? ", " : "", peer));
	look->by = by;
}

static bool has_itself(struct kind_look *look, const struct pipe_id *id)
{
	const struct pipes *pipes = kind_pipes(look, false);
	const struct pipe_holder *holder;
	uint32_t at = 0;

	while ((holder = pipes_next(pipes, id, PIPE_END_READ | PIPE_END_WRITE, &at)))
		if (pipe_same(&holder->id, id) && holder->pid == look->thread->pid)
			return true;
	return false;
}

/* A connection whose other end its own process has, too, or is to accept. */
static bool look_at_own(struct kind_look *look, const struct socket_facts *facts, const char *what,
			const char *queued, const struct pipe_id *peer)
{
	if (facts->kind != SOCKET_TCP || !peer->inode || !has_itself(look, peer))
		return false;
	kind_is(look, KIND_wait,
		text_format("%s its own process (%s%s)", what, facts->peer, queued));
	return true;
}

static bool look_at_socket(struct kind_look *look, const struct awaited_fd *fd, uint64_t inode)
{
	const char *what = fd->output ? "room to send to" : "data from", *queued;
	struct pipe_id peer = {.kind = PIPE_SOCKET};
	struct socket_facts facts;
	uint32_t by;

	if (!sockets_look(look->thread->pid, inode, &facts))
		return false;
	if (facts.listens) {
		kind_is(look, KIND_idle,
			text_format("connections to %s",
				    *facts.local ? facts.local : "a socket without a name"));
		return true;
	}
	queued = facts.listener ? ", which has not accepted the connection" : "";
	peer.inode = facts.peer_inode ?: facts.listener;
	if (facts.connects)
		what = "a connection to";
	by = peer.inode ? other_of(look, &peer, PIPE_END_READ | PIPE_END_WRITE) : 0;
	if (by) {
		char *address = text_format("%s%s", facts.peer, queued);

		waits_for_process(look, what, address, by);
		free(address);
		return true;
	}
	if (look_at_own(look, &facts, what, queued, &peer))
		return true;
	if (facts.kind == SOCKET_UNIX || (facts.peer_inode && !by))
		return false; /* it has both ends itself, or nobody has the other one */
	if (!*facts.peer && facts.kind != SOCKET_UDP)
		return false;
	kind_is(look, KIND_network,
		*facts.peer ? text_format("%s %s (%s)", what, facts.peer,
					  facts.kind == SOCKET_TCP ? "TCP" : "UDP") :
			      text_format("%s anybody, to %s (UDP)", what, facts.local));
	return true;
}

static bool is_terminal(const char *target)
{
	return !strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8) ||
	       !strcmp(target, "/dev/console");
}

#define REQUEST "the end of a request of %s, of which it is not known what it waits for"

/* A call that waits for requests. */
static bool look_at_request(struct kind_look *look)
{
	long number = look->thread->call.number;

	if (number == SYS_io_uring_enter)
		kind_is(look, KIND_wait, text_format(REQUEST, "its io_uring"));
	else if (number == SYS_io_getevents || number == SYS_io_pgetevents)
		kind_is(look, KIND_wait, text_format(REQUEST, "its AIO"));
	else
		return false;
	return true;
}

/* An eventfd that the kernel may signal for a request: nobody else has to. */
static bool look_at_event(struct kind_look *look, const struct pipe_id *id)
{
	const struct pipes *pipes = kind_pipes(look, false);
	const struct pipe_holder *holder;
	uint32_t at = 0;

	while ((holder = pipes_next(pipes, id, PIPE_END_READ | PIPE_END_WRITE, &at))) {
		if (!pipe_same(&holder->id, id) || !pipes_kernel_acts(pipes, id, holder->pid))
			continue;
		kind_is(look, KIND_wait,
			text_format(
				"an eventfd, which the kernel may signal: process %u has an io_uring or "
				"uses AIO, of whose requests it is not known what they wait for",
				holder->pid));
		return true;
	}
	return false;
}

static bool look_at_fd(struct kind_look *look, const struct awaited_fd *fd)
{
	uint32_t tid = look->thread->tid, by;
	struct pipe_id id = pipe_of(tid, fd->fd);
	struct descriptor descriptor;

	if (fd->replaced || !descriptor_of(tid, fd->fd, &descriptor))
		return false;
	if (!strncmp(descriptor.target, "socket:", 7))
		return look_at_socket(look, fd,
				      id.kind == PIPE_SOCKET ?
					      id.inode :
					      strtoull(descriptor.target + 8, NULL, 10));
	if (is_terminal(descriptor.target) && !fd->output) {
		kind_is(look, KIND_terminal, text_copy(descriptor.target));
		return true;
	}
	if (id.kind == PIPE_EVENT)
		return look_at_event(look, &id);
	if (id.kind == PIPE_RING) {
		kind_is(look, KIND_wait, text_format(REQUEST, "its io_uring"));
		return true;
	}
	if (id.kind != PIPE_ANONYMOUS && id.kind != PIPE_NAMED)
		return false;
	by = other_of(look, &id, pipe_other_ends(tid, fd->fd));
	if (by)
		waits_for_process(look, fd->output ? "room in a pipe to" : "data in a pipe from",
				  id.kind == PIPE_NAMED ? descriptor.target : "", by);
	return by != 0;
}

/* The programmer's words for the wait, if there are any besides the call's; borrowed. */
static const char *phrase_of(const struct kind_look *look)
{
	const struct ps_awaited *waits = &look->found->waits;

	return waits->text && !waits->is_call ? waits->text : "";
}

/* The one that tells most decides. */
bool kind_by_fds(struct kind_look *look)
{
	struct awaited_fds fds;
	enum kind best = KIND_COUNT;
	char *about = NULL;
	uint32_t by = 0;

	if (look->thread->call.state != PROC_IN_CALL)
		return false;
	if (look_at_request(look))
		return true;
	awaited_fds_read(&fds, look->thread->pid, look->thread->tid, &look->thread->call);
	for (uint32_t i = 0; i < fds.count && i < FDS_LOOKED_AT && best != KIND_idle; i++) {
		if (!look_at_fd(look, &fds.item[i]) ||
		    (look->kind >= best && look->kind != KIND_idle))
			continue;
		free(about);
		best = look->kind;
		about = look->about;
		by = look->by;
		look->about = NULL;
	}
	look->by = by;
	if (best == KIND_COUNT)
		return false;
	/* a coroutine waits for another one of its loop: that may, or may not, wait for what the loop waits for */
	if (awaited_is_async(look->found->waits.what) && best != KIND_idle) {
		about = text_join(text_format("%s; its event loop waits for", phrase_of(look)), " ",
				  about);
		best = KIND_wait;
		look->by = 0;
	} else if (best != KIND_idle && best != KIND_terminal && *phrase_of(look)) {
		about = text_join(text_copy(phrase_of(look)), ", ", about);
	}
	kind_is(look, best, about);
	return true;
}
