/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of read, write and seek, the most frequent calls. They do nothing but test a byte:
 * whether this process has forked, or has other streams to watch; and before a write, whether it runs Python.
 */
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../intercept/hook.h"
#include "../resources/stdio.h"
#include "../resources/stream.h"
#include "../workers/aborts.h"
#include "../workers/cow.h"
#include "../workers/exceptions.h"

ssize_t __read(int fd, void *to, size_t bytes);
ssize_t __write(int fd, const void *data, size_t bytes);
ssize_t __send(int fd, const void *data, size_t bytes, int flags);
ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t bytes, size_t room, int flags,
		       struct sockaddr *restrict from, socklen_t *restrict length);

#define READS(name, peeked, parameters, arguments)                                \
	EXPORT ssize_t name parameters                                            \
	{                                                                         \
		ENTER(name);                                                      \
                                                                                  \
		if (LIKELY(!stream_watch && stream_knows(fd)))                    \
			return REAL(name) arguments;                              \
		return stream_was_read(fd, REAL(name) arguments, peeked, CALLER); \
	}

#define PEEKS (flags & MSG_PEEK)
/* clang-format off */
READS(read, false, (int fd, void *to, size_t bytes), (fd, to, bytes))
READS(__read, false, (int fd, void *to, size_t bytes), (fd, to, bytes))
READS(__read_chk, false, (int fd, void *to, size_t bytes, size_t room), (fd, to, bytes, room))
READS(readv, false, (int fd, const struct iovec *to, int count), (fd, to, count))
READS(recv, PEEKS, (int fd, void *to, size_t bytes, int flags), (fd, to, bytes, flags))
READS(__recv_chk, PEEKS, (int fd, void *to, size_t bytes, size_t room, int flags), (fd, to, bytes, room, flags))
READS(recvfrom, PEEKS, (int fd, void *restrict to, size_t bytes, int flags, struct sockaddr *restrict from, socklen_t *restrict length), (fd, to, bytes, flags, from, length))
READS(__recvfrom_chk, PEEKS, (int fd, void *restrict to, size_t bytes, size_t room, int flags, struct sockaddr *restrict from, socklen_t *restrict length), (fd, to, bytes, room, flags, from, length))
/* clang-format on */

#define WRITES(name, parameters, arguments)                                                 \
	EXPORT ssize_t name parameters                                                      \
	{                                                                                   \
		ENTER(name);                                                                \
		if (UNLIKELY(bytes >= STREAM_LARGE || (stream_watch && stream_writes(fd)))) \
			stream_is_written(fd, data, bytes, CALLER);                         \
		exceptions_write(fd, bytes);                                                \
		if (UNLIKELY(fd == 2))                                                      \
			return aborts_wrote(data, REAL(name) arguments);                    \
		return REAL(name) arguments;                                                \
	}

/* clang-format off */
WRITES(write, (int fd, const void *data, size_t bytes), (fd, data, bytes))
WRITES(__write, (int fd, const void *data, size_t bytes), (fd, data, bytes))
WRITES(send, (int fd, const void *data, size_t bytes, int flags), (fd, data, bytes, flags))
WRITES(__send, (int fd, const void *data, size_t bytes, int flags), (fd, data, bytes, flags))
WRITES(sendto, (int fd, const void *data, size_t bytes, int flags, const struct sockaddr *to, socklen_t length), (fd, data, bytes, flags, to, length))
/* clang-format on */

EXPORT ssize_t writev(int fd, const struct iovec *from, int count)
{
	ENTER(writev);
	if (UNLIKELY(stream_watch && stream_writes(fd)))
		stream_is_written(fd, NULL, 0, CALLER);
	exceptions_write(fd, EXCEPTIONS_ANY);
	return REAL(writev)(fd, from, count);
}

/* A query of the current offset is not a move. */
#define MOVES(name, type)                                                      \
	EXPORT type name(int fd, type to, int whence)                          \
	{                                                                      \
		ENTER(name);                                                   \
		type result;                                                   \
                                                                               \
		if (LIKELY(!stream_watch || (to == 0 && whence == SEEK_CUR) || \
			   !stream_uses(fd, DESCRIPTOR_MOVE_TOLD)))            \
			return REAL(name)(fd, to, whence);                     \
		result = REAL(name)(fd, to, whence);                           \
		if (result >= 0)                                               \
			stream_was_moved(fd, CALLER);                          \
		return result;                                                 \
	}
MOVES(lseek, off_t)
MOVES(lseek64, off64_t)

#define FLUSHES(name)                          \
	EXPORT int name(FILE *stream)          \
	{                                      \
		ENTER(name);                   \
		stdio_flushes(stream, CALLER); \
		cow_flushes();                 \
		return REAL(name)(stream);     \
	}
FLUSHES(fflush)
FLUSHES(fflush_unlocked)
