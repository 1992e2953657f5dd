/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of descriptors that are sent over sockets, and of the addresses that serve them. A message
 * without control data costs one test. See fd_passing.h.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../intercept/hook.h"
#include "../resources/descriptor.h"
#include "../resources/fd_passing.h"
#include "../resources/segment_call.h"
#include "../resources/stream.h"
#include "../workers/exceptions.h"

EXPORT int socket(int domain, int type, int protocol)
{
	ENTER(socket);
	int fd = REAL(socket)(domain, type, protocol);

	if (LIKELY(fd >= 0))
		descriptor_made(fd);
	else if (errno == EMFILE)
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "socket", CALLER);
	return fd;
}

static inline int accepted(int fd, uint64_t caller)
{
	if (LIKELY(fd >= 0))
		descriptor_made(fd);
	else if (errno == EMFILE)
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "accept", caller);
	return fd;
}

EXPORT int accept(int fd, struct sockaddr *address, socklen_t *length)
{
	ENTER(accept);
	return accepted(REAL(accept)(fd, address, length), CALLER);
}

EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	ENTER(accept4);
	return accepted(REAL(accept4)(fd, address, length, flags), CALLER);
}

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	ENTER(bind);
	int result = REAL(bind)(fd, address, length);

	if (result == 0)
		fd_passing_bound(fd, address, length);
	return result;
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	ENTER(connect);
	int result = REAL(connect)(fd, address, length);

	fd_passing_connected(fd, address, length, result ? errno : 0, CALLER);
	return result;
}

/* Recorded before the call: the receiver may use the descriptors before it returns. */
EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ENTER(sendmsg);
	ssize_t result;

	if (UNLIKELY(stream_watch && stream_writes(fd)))
		stream_is_written(fd, NULL, 0, CALLER);
	exceptions_write(fd, EXCEPTIONS_ANY);
	if (LIKELY(!fd_passing_watches())) {
		result = REAL(sendmsg)(fd, message, flags);
		if (result >= 0)
			fd_passing_unwatched(message);
		return result;
	}
	struct fd_passing_sending sending = {.over = fd};

	fd_passing_sends(&sending, message);
	result = REAL(sendmsg)(fd, message, flags);
	fd_passing_sent(&sending, message, result >= 0);
	return result;
}

/* Only the first of several messages may have been sent. */
EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	ENTER(sendmmsg);
	int result;

	if (UNLIKELY(stream_watch && stream_writes(fd)))
		stream_is_written(fd, NULL, 0, CALLER);
	exceptions_write(fd, EXCEPTIONS_ANY);
	if (LIKELY(!fd_passing_watches())) {
		result = REAL(sendmmsg)(fd, messages, count, flags);
		for (int i = 0; i < result; i++)
			fd_passing_unwatched(&messages[i].msg_hdr);
		return result;
	}
	struct fd_passing_sending sending = {.over = fd};

	for (unsigned i = 0; i < count && i < UIO_MAXIOV; i++)
		fd_passing_sends(&sending, &messages[i].msg_hdr);
	result = REAL(sendmmsg)(fd, messages, count, flags);
	for (unsigned i = 0; i < count && i < UIO_MAXIOV; i++)
		fd_passing_sent(&sending, &messages[i].msg_hdr, (int)i < result);
	return result;
}

/* Records received descriptors, that data came and, on a watched connection, whether any did. */
static inline ssize_t received(int fd, ssize_t result, const struct msghdr *message, bool peeked,
			       uint64_t caller)
{
	if (UNLIKELY(result >= 0 && (message->msg_controllen || message->msg_flags & MSG_CTRUNC)))
		fd_passing_received(fd, message, caller);
	return UNLIKELY(stream_watch && stream_reads(fd)) ?
		       stream_was_read(fd, result, peeked, caller) :
		       result;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ENTER(recvmsg);
	return received(fd, REAL(recvmsg)(fd, message, flags), message, flags & MSG_PEEK, CALLER);
}

EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		    struct timespec *limit)
{
	ENTER(recvmmsg);
	int result = REAL(recvmmsg)(fd, messages, count, flags, limit);

	for (int i = 0; i < result; i++)
		received(fd, messages[i].msg_len, &messages[i].msg_hdr, flags & MSG_PEEK, CALLER);
	return result;
}
