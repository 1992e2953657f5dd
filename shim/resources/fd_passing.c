/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks sockets that serve descriptors, and the descriptors that messages carry. Such connections
 * are few and short: a small table has their addresses, by descriptor. Two threads that write one
 * entry show a wrong address at worst, and an event has the address as text.
 */
#include "fd_passing.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../workers/proc_events.h"
#include "descriptor.h"
#include "lost_fetch.h"
#include "segment.h"
#include "segment_call.h"
#include "stream.h"

#define PEERS 64u
#define PATH_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)
#define TALK_BYTES 4096u /* of a handshake without a reply */

static struct peer {
	int fd; /* + 1; 0: free */
	uint32_t bytes; /* that came over it */
	char path[PATH_BYTES + 1];
} peers[PEERS] LARGE;
STATE static uint32_t next_peer; /* their number since the fork */
static char listener[PATH_BYTES + 1]; /* the newest address of this process */
/* The pipe into which it was written what is to be fetched here; `several`: not known which of them. */
STATE static struct {
	uint64_t device, inode;
	bool several;
} handed;

/* Extracts the path if it is an address of a multiprocessing listener; false: another address. */
static bool listener_path(const struct sockaddr *address, socklen_t length, char *path)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)address;
	uint64_t bytes = length > offsetof(struct sockaddr_un, sun_path) ?
				 length - offsetof(struct sockaddr_un, sun_path) :
				 0;

	if (bytes > PATH_BYTES || bytes < sizeof("listener-"))
		return false;
	if (un->sun_family != AF_UNIX || !un->sun_path[0])
		return false;
	memcpy(path, un->sun_path, bytes);
	path[bytes] = '\0';
	return text_starts(text_tail(path), "listener-");
}

void fd_passing_bound(int fd, const struct sockaddr *address, socklen_t length)
{
	char path[PATH_BYTES + 1];

	if (!listener_path(address, length, path) || !life_may_change())
		return;
	GUARDED {
		memcpy(listener, path, sizeof(listener));
		descriptor_mark(fd, DESCRIPTOR_LISTENER);
		EMIT(sock_bound, .path = log_text(path), .fd = (uint64_t)(int64_t)fd);
		lost_fetch_bound(path);
	}
}

static struct peer *peer_of(int fd)
{
	for (uint32_t i = 0; i < PEERS; i++)
		if (peers[i].fd == fd + 1)
			return &peers[i];
	return NULL;
}

static void fd_passing_remember(int fd, const char *path, uint32_t bytes)
{
	struct peer *peer = peer_of(fd);

	if (life.forks_only)
		return;
	if (!peer)
		peer = &peers[__atomic_fetch_add(&next_peer, 1, __ATOMIC_RELAXED) % PEERS];
	peer->fd = fd + 1;
	peer->bytes = bytes;
	text_put(peer->path, peer->path + sizeof(peer->path), path);
	descriptor_mark(fd, DESCRIPTOR_PEER);
	stream_follow(STREAM_PEERS);
}

static void state_refused(int fd, const char *path, int error, uint64_t caller)
{
	uint64_t python = stack_python(0);

	EMIT(sock_refused, .path = log_text(path), .result = (uint64_t)error,
	     .fd = (uint64_t)(int64_t)fd, .caller = caller, .stack = stack_own(), .python = python);
	lost_fetch_refused(path, python, caller);
}

/* The address may be read plainly: the kernel has read it, unless the call failed with EFAULT. */
void fd_passing_connected(int fd, const struct sockaddr *address, socklen_t length, int error,
			  uint64_t caller)
{
	char path[PATH_BYTES + 1];

	if ((error && error != ENOENT && error != ECONNREFUSED) ||
	    !listener_path(address, length, path) || !life_may_change())
		return;
	GUARDED {
		if (error)
			state_refused(fd, path, error, caller);
		else
			fd_passing_remember(fd, path, 0);
	}
}

/* Stops watching this descriptor and the one that it is a copy of. */
static void fd_passing_settle(int fd)
{
	const struct peer *peer = peer_of(fd);
	char path[PATH_BYTES + 1] = "";

	if (peer)
		memcpy(path, peer->path, sizeof(path));
	for (uint32_t i = 0; peer && i < PEERS; i++) {
		if (!peers[i].fd || !text_equal(peers[i].path, path))
			continue;
		descriptor_unmark(peers[i].fd - 1, DESCRIPTOR_PEER);
		peers[i].fd = 0;
	}
	descriptor_unmark(fd, DESCRIPTOR_PEER);
}

/* Records once that the other end is gone before any data arrived. */
static void settle_refused(int fd, const struct peer *peer, ssize_t result, int error,
			   uint64_t caller)
{
	if (result < 0 && error != ECONNRESET)
		return;
	state_refused(fd, peer->path, result ? error : 0, caller);
	fd_passing_settle(fd);
}

void fd_passing_result(int fd, ssize_t result, int error, uint64_t caller)
{
	struct peer *peer = peer_of(fd);

	if (!peer || !(descriptor_known(fd) & DESCRIPTOR_PEER))
		return;
	if ((result > 0 && (peer->bytes += (uint32_t)result) < TALK_BYTES) || !life_may_change())
		return;
	GUARDED {
		if (result <= 0)
			settle_refused(fd, peer, result, error, caller);
		else
			fd_passing_settle(fd);
	}
}

void fd_passing_copied(int from, int to)
{
	const struct peer *peer = peer_of(from);
	char path[PATH_BYTES + 1];

	if (!peer || !life_may_change())
		return;
	memcpy(path, peer->path, sizeof(path));
	fd_passing_remember(to, path, peer->bytes);
}

void fd_passing_closed(int fd)
{
	struct peer *peer = peer_of(fd);

	if (peer && life_may_change())
		peer->fd = 0;
}

/*
 * The PID at the other end of a socket, or of the creator of the pair; 0: unknown, or this process
 * itself.
 */
static uint32_t pid_behind(int fd)
{
	struct ucred ucred;
	socklen_t length = sizeof(ucred);

	if (SYS6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &ucred, &length, 0) < 0 ||
	    (uint32_t)ucred.pid == life.pid)
		return 0;
	return (uint32_t)ucred.pid;
}

/* Copies a part of a message. Unless the kernel has read it, it may not be mapped. */
static bool fd_passing_take(void *to, const void *from, size_t bytes, bool was_read)
{
	if (!was_read)
		return sys_peek_own(to, from, bytes) == (long)bytes;
	memcpy(to, from, bytes);
	return true;
}

#define FOLLOWED 256u /* per message; the kernel accepts 253 */
#define CONTROL_MAX (1u << 20) /* bytes; the kernel accepts net.core.optmem_max, 128 KiB or less */

/*
 * Calls `see` for every descriptor that a message carries; `message` itself can be read. What the kernel is going to
 * refuse for its size carries none: its lengths may be anything.
 */
static void each_descriptor(const struct msghdr *message, bool was_read,
			    void (*see)(int fd, void *context), void *context)
{
	uint64_t bytes = message->msg_controllen <= CONTROL_MAX ? message->msg_controllen : 0;
	const char *at = message->msg_control, *end = at + bytes;
	uint32_t left = FOLLOWED;
	union {
		struct cmsghdr head;
		char bytes[CMSG_LEN(
			sizeof(int))]; /* with its first descriptor, mostly the only one */
	} begin;
	int fd;

	while (at && (uint64_t)(end - at) >= CMSG_LEN(sizeof(int))) {
		if (!fd_passing_take(begin.bytes, at, CMSG_LEN(sizeof(int)), was_read) ||
		    begin.head.cmsg_len < sizeof(begin.head) ||
		    begin.head.cmsg_len > (uint64_t)(end - at))
			return;
		memcpy(&fd, begin.bytes + CMSG_LEN(0), sizeof(fd));
		for (uint64_t i = CMSG_LEN(0);
		     begin.head.cmsg_level == SOL_SOCKET && begin.head.cmsg_type == SCM_RIGHTS &&
		     i + sizeof(int) <= begin.head.cmsg_len && left &&
		     (i == CMSG_LEN(0) || fd_passing_take(&fd, at + i, sizeof(fd), was_read));
		     i += sizeof(int), left--)
			see(fd, context);
		if (CMSG_ALIGN(begin.head.cmsg_len) >= (uint64_t)(end - at))
			return;
		at += CMSG_ALIGN(begin.head.cmsg_len);
	}
}
_Static_assert(CMSG_LEN(0) == sizeof(struct cmsghdr), "a descriptor follows its head");

#define BIT(words, i) ((words)[(i) / 64 % 4] & 1ull << (i) % 64)
#define SET_BIT(words, i) ((words)[(i) / 64 % 4] |= 1ull << (i) % 64)

static bool was_sent(const struct segment *segment)
{
	const struct mpsan_record *r =
		segment->record && segment_is_own(segment) ? log_at(segment->record) : NULL;

	return !r || r->later & MPSAN_LATER_SENT;
}

static void fd_passing_leave(const struct segment *segment, int fd)
{
	descriptor_unmark(fd, DESCRIPTOR_READY);
	segment_later(segment, 0, MPSAN_LATER_SENT);
}

static void fd_passing_announce(int fd, void *context)
{
	struct fd_passing_sending *s = context;
	uint32_t i = s->announced++;
	struct segment segment;

	if (i >= FOLLOWED || !segment_of(fd, &segment))
		return;
	if (descriptor_known(fd) & DESCRIPTOR_READY)
		SET_BIT(s->ready, i);
	if (!was_sent(&segment))
		SET_BIT(s->first, i);
	fd_passing_leave(&segment, fd);
	if (i >= PEER_RECORDS)
		return;
	s->key[i] =
		log_key(EV_shm_sent, segment.range.start, (uint64_t)fd << 32 | (uint32_t)s->over);
	s->record[i] = ANNOUNCE(s->key[i], shm_sent, .device = segment.device,
				.inode = segment.range.start, .to = pid_behind(s->over),
				.fd = (uint64_t)(int64_t)fd);
}

void fd_passing_sends_control(void)
{
	proc_events_flag(MPSAN_PROCESS_SENDS);
}

void fd_passing_sends(struct fd_passing_sending *s, const struct msghdr *message)
{
	struct msghdr copy;

	if (!fd_passing_take(&copy, message, sizeof(copy), false) || !copy.msg_controllen)
		return;
	if (!life_has(MPSAN_PROCESS_SENDS))
		fd_passing_sends_control();
	if (!segment_descriptors || !life_may_change())
		return;
	GUARDED {
		each_descriptor(&copy, false, fd_passing_announce, s);
	}
}

/* Records a sent descriptor, also one that could not be read before. */
static void state_sent(const struct fd_passing_sending *s, const struct segment *segment, int fd)
{
	fd_passing_leave(segment, fd);
	EMIT(shm_sent, .device = segment->device, .inode = segment->range.start,
	     .to = pid_behind(s->over), .fd = (uint64_t)(int64_t)fd);
}

static void keep_here(const struct fd_passing_sending *s, uint32_t i, const struct segment *segment,
		      int fd)
{
	if (BIT(s->ready, i))
		descriptor_mark(fd, DESCRIPTOR_READY);
	if (BIT(s->first, i))
		segment_later(segment, MPSAN_LATER_SENT, 0);
}

static void settle_one(int fd, void *context)
{
	struct fd_passing_sending *s = context;
	uint32_t i = s->settled++;
	struct segment segment;

	if (!segment_of(fd, &segment))
		return;
	if (i < PEER_RECORDS && i < s->announced)
		log_settle(s->key[i], s->record[i], s->sent);
	else if (s->sent)
		state_sent(s, &segment, fd);
	if (!s->sent && i < FOLLOWED && i < s->announced)
		keep_here(s, i, &segment, fd);
}

void fd_passing_sent(struct fd_passing_sending *s, const struct msghdr *message, bool sent)
{
	struct msghdr copy;

	if (!life_may_change() || !fd_passing_take(&copy, message, sizeof(copy), sent))
		return;
	s->sent = sent;
	GUARDED {
		each_descriptor(&copy, sent, settle_one, s);
	}
}

/* A received message. */
struct receiving {
	int over;
	uint64_t caller;
};

static void see_received(int fd, void *context)
{
	const struct receiving *receiving = context;

	descriptor_made(fd);
	segment_look(fd, MPSAN_SHM_RECEIVED, pid_behind(receiving->over), receiving->caller);
}

void fd_passing_received(int fd, const struct msghdr *message, uint64_t caller)
{
	if (message->msg_flags & MSG_CTRUNC)
		segment_no_descriptor(MPSAN_SHM_TRUNCATED, "recvmsg", caller);
	if (!message->msg_controllen || life.forks_only || !life_may_change())
		return;
	GUARDED {
		each_descriptor(message, true, see_received, &(struct receiving){fd, caller});
		if (descriptor_known(fd) & DESCRIPTOR_PEER)
			fd_passing_settle(fd);
	}
}

/* At the end: records copies that were not fetched from this process. */
FORKED void fd_passing_exit(void)
{
	struct segment segment, first = {0};
	uint64_t count = 0, bytes = 0;
	bool listens = false;
	struct stat file;

	for (uint32_t fd = 0; segment_descriptors && fd <= descriptor_highest; fd++) {
		listens = listens || descriptor_flags[fd] & DESCRIPTOR_LISTENER;
		if (!(descriptor_flags[fd] & DESCRIPTOR_READY) || !segment_of((int)fd, &segment) ||
		    SYS2(SYS_fstat, fd, &file) < 0 || file.st_ino != segment.range.start)
			continue;
		if (!count++)
			first = segment;
		bytes += (uint64_t)file.st_size;
	}
	if (!count || !listens)
		return;
	GUARDED {
		EMIT(shm_kept, .listener = log_text(listener), .count = count, .bytes = bytes,
		     .device = first.device, .inode = first.range.start,
		     .pipe_device = handed.several ? 0 : handed.device,
		     .pipe = handed.several ? 0 : handed.inode, .let_go = python_lets_go());
	}
}

/* In a child: copies that the parent keeps ready are served by the parent. */
FORKED void fd_passing_forked(void)
{
	if (next_peer)
		memset(peers, 0, sizeof(peers));
	next_peer = 0;
	handed.inode = 0;
	handed.several = false;
	for (uint32_t fd = 0; fd <= descriptor_highest; fd++)
		if (descriptor_flags[fd] &
		    (DESCRIPTOR_READY | DESCRIPTOR_PEER | DESCRIPTOR_LISTENER))
			descriptor_flags[fd] &= (uint8_t) ~(DESCRIPTOR_READY | DESCRIPTOR_PEER |
							    DESCRIPTOR_LISTENER);
}

/*
 * The newest copy of a descriptor: Python's mmap module keeps a copy of the descriptor that it
 * maps, made right before, which is not waiting to be fetched.
 */
static TLS int newest_from, newest_to; /* + 1 */

void fd_passing_ready(int from, int to)
{
	newest_from = from + 1;
	newest_to = to + 1;
	descriptor_mark(to, DESCRIPTOR_READY);
	stream_follow(STREAM_HANDS);
}

void fd_passing_hands(int fd)
{
	struct stat st;

	if (!newest_from || SYS2(SYS_fstat, fd, &st) < 0 || !S_ISFIFO(st.st_mode))
		return;
	newest_from = 0;
	stream_leave(STREAM_HANDS);
	if (handed.inode && (handed.inode != st.st_ino || handed.device != st.st_dev))
		handed.several = true;
	handed.device = st.st_dev;
	handed.inode = st.st_ino;
}

void fd_passing_mapped(int fd)
{
	struct segment mapped, copy;

	if (LIKELY(newest_from != fd + 1))
		return;
	newest_from = 0;
	stream_leave(STREAM_HANDS);
	if (segment_of(fd, &mapped) && segment_of(newest_to - 1, &copy) &&
	    mapped.range.start == copy.range.start)
		descriptor_unmark(newest_to - 1, DESCRIPTOR_READY);
}
