/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks that open, copy and close descriptors and unlink names. Those of shared memory matter. See
 * segment_call.h, descriptor.h, fd_passing.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../intercept/hook.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "../resources/descriptor.h"
#include "../resources/fd_passing.h"
#include "../resources/segment.h"
#include "../resources/segment_call.h"
#include "../resources/stdio.h"
#include "../resources/stream.h"
#include "../workers/exceptions.h"
#include "../workers/proc_events.h"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);

/* The mode is passed only where a file may be created; reading it otherwise is harmless. */
#define MODE_OF(flags, mode)                   \
	do {                                   \
		va_list rest__;                \
		va_start(rest__, flags);       \
		mode = va_arg(rest__, mode_t); \
		va_end(rest__);                \
	} while (0)

static inline int fd_opened(const struct segment_open *opening, const char *path, int fd, int flags,
			    uint64_t caller)
{
	segment_open_end(opening, path, fd, flags, MPSAN_SHM_FILE, caller);
	/* A started child opens /dev/null first. */
	if (UNLIKELY(proc_events.unnamed) && fd >= 0)
		proc_events_opened(path);
	if (fd >= 0)
		exceptions_open(path);
	return fd;
}

static inline struct segment_open fd_begin(const char *path, int flags)
{
	struct segment_open opening = {0};

	if (flags & O_CREAT)
		segment_open_begin(&opening, path, flags, MPSAN_SHM_FILE);
	return opening;
}

#define OPEN(name)                                                                              \
	EXPORT int name(const char *path, int flags, ...)                                       \
	{                                                                                       \
		ENTER(name);                                                                    \
		mode_t mode;                                                                    \
		struct segment_open opening = fd_begin(path, flags);                            \
		MODE_OF(flags, mode);                                                           \
		return fd_opened(&opening, path, REAL(name)(path, flags, mode), flags, CALLER); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                       \
	EXPORT int name(int at, const char *path, int flags, ...)                          \
	{                                                                                  \
		ENTER(name);                                                               \
		mode_t mode;                                                               \
		struct segment_open opening = fd_begin(path, flags);                       \
		MODE_OF(flags, mode);                                                      \
		return fd_opened(&opening, path, REAL(name)(at, path, flags, mode), flags, \
				 CALLER);                                                  \
	}
OPENAT(openat)
OPENAT(openat64)

/* The fortified forms of calls without a mode, which create no file. */
#define OPEN_2(name)                                                                              \
	EXPORT int name(const char *path, int flags)                                              \
	{                                                                                         \
		ENTER(name);                                                                      \
		return fd_opened(&(struct segment_open){0}, path, REAL(name)(path, flags), flags, \
				 CALLER);                                                         \
	}
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                         \
	EXPORT int name(int at, const char *path, int flags)                                   \
	{                                                                                      \
		ENTER(name);                                                                   \
		return fd_opened(&(struct segment_open){0}, path, REAL(name)(at, path, flags), \
				 flags, CALLER);                                               \
	}
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREATES (O_WRONLY | O_CREAT | O_TRUNC)

EXPORT int creat(const char *path, mode_t mode)
{
	ENTER(creat);
	struct segment_open opening = fd_begin(path, CREATES);
	return fd_opened(&opening, path, REAL(creat)(path, mode), CREATES, CALLER);
}

/* The flags that matter here. */
static int flags_of(const char *mode)
{
	int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT;

	for (; *mode; mode++)
		flags |= *mode == '+' ? O_RDWR : *mode == 'x' ? O_EXCL : 0;
	return flags;
}

#define FOPEN(name)                                                                      \
	EXPORT FILE *name(const char *restrict path, const char *restrict mode)          \
	{                                                                                \
		ENTER(name);                                                             \
		int flags = flags_of(mode);                                              \
		struct segment_open opening = fd_begin(path, flags);                     \
		FILE *stream = REAL(name)(path, mode);                                   \
                                                                                         \
		fd_opened(&opening, path, stream ? stream->_fileno : -1, flags, CALLER); \
		return stream;                                                           \
	}
FOPEN(fopen)
FOPEN(fopen64)

/*
 * Records a file from mkstemp and similar calls: its name is known only afterwards, so its creation
 * is not announced.
 */
static inline int made(int fd, const char *path, uint64_t caller)
{
	const struct segment_open opening = {.makes = true};

	return fd_opened(&opening, path, fd, O_RDWR | O_CREAT | O_EXCL, caller);
}

#define MKSTEMP(name)                                        \
	EXPORT int name(char *path)                          \
	{                                                    \
		ENTER(name);                                 \
		return made(REAL(name)(path), path, CALLER); \
	}
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

#define MKOSTEMP(name)                                              \
	EXPORT int name(char *path, int flags)                      \
	{                                                           \
		ENTER(name);                                        \
		return made(REAL(name)(path, flags), path, CALLER); \
	}
MKOSTEMP(mkostemp)
MKOSTEMP(mkostemp64)

/* Recorded before the call: others may miss the name before it returns. */
#define UNLINK(name, at, parameters, arguments)                                     \
	EXPORT int name parameters                                                  \
	{                                                                           \
		ENTER(name);                                                        \
		struct segment_unlinking unlinking;                                 \
		int result;                                                         \
                                                                                    \
		segment_unlink_begin(&unlinking, at, path, MPSAN_SHM_FILE, CALLER); \
		result = REAL(name) arguments;                                      \
		if (UNLIKELY(unlinking.inode))                                      \
			segment_unlink_end(&unlinking, !result);                    \
		return result;                                                      \
	}
/* clang-format off */
UNLINK(unlink, AT_FDCWD, (const char *path), (path))
UNLINK(remove, AT_FDCWD, (const char *path), (path))
UNLINK(unlinkat, at, (int at, const char *path, int flags), (at, path, flags))
/* clang-format on */

/* Forgets what was known about a descriptor before it is closed. */
static NOINLINE void forget_known(int fd, uint64_t caller)
{
	uint8_t known = descriptor_known(fd);

	if (known & DESCRIPTOR_SEGMENT)
		segment_closed(fd, caller);
	if (known & DESCRIPTOR_PEER)
		fd_passing_closed(fd);
	descriptor_gone(fd);
}

static inline void fd_forget(int fd, uint64_t caller)
{
	stream_closed(fd);
	if (UNLIKELY(descriptor_known(fd)))
		forget_known(fd, caller);
}

EXPORT int close(int fd)
{
	ENTER(close);
	fd_forget(fd, CALLER);
	return REAL(close)(fd);
}

/* libc closes the stream's descriptor without calling close(). */
EXPORT int fclose(FILE *stream)
{
	ENTER(fclose);
	stdio_flushes(stream, CALLER);
	fd_forget(stream->_fileno, CALLER);
	return REAL(fclose)(stream);
}

static void forget_from(uint32_t first, uint32_t last, uint64_t caller)
{
	uint32_t end = descriptor_highest < MPSAN_FED ? MPSAN_FED : descriptor_highest;

	for (uint32_t fd = first; fd <= last && fd <= end; fd++)
		fd_forget((int)fd, caller);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	ENTER(close_range);
	if (!(flags & (int)CLOSE_RANGE_CLOEXEC) && life_may_change())
		forget_from(first, last, CALLER);
	return REAL(close_range)(first, last, flags);
}

EXPORT void closefrom(int first)
{
	ENTER(closefrom);
	if (life_may_change())
		forget_from(first < 0 ? 0 : (uint32_t)first, UINT32_MAX, CALLER);
	REAL(closefrom)(first);
}

static NOINLINE void note_copy(int from, int to)
{
	uint8_t known = descriptor_known(from);

	descriptor_copied(from, to);
	if (known & DESCRIPTOR_SEGMENT)
		segment_copied(from, to);
	if (known & DESCRIPTOR_PEER)
		fd_passing_copied(from, to);
}

static inline int copied(int from, int to, uint64_t caller)
{
	if (UNLIKELY(to >= 0 && (descriptor_known(from) || descriptor_known(to))))
		note_copy(from, to);
	else if (UNLIKELY(to < 0 && errno == EMFILE))
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "dup", caller);
	return to;
}

EXPORT int dup(int fd)
{
	ENTER(dup);
	return copied(fd, REAL(dup)(fd), CALLER);
}

EXPORT int dup2(int from, int to)
{
	ENTER(dup2);
	if (from != to)
		fd_forget(to, CALLER);
	return copied(from, REAL(dup2)(from, to), CALLER);
}

EXPORT int dup3(int from, int to, int flags)
{
	ENTER(dup3);
	if (from != to)
		fd_forget(to, CALLER);
	return copied(from, REAL(dup3)(from, to, flags), CALLER);
}

static NOINLINE int ready(int from, int to)
{
	if (to >= 0 && descriptor_known(to) & DESCRIPTOR_SEGMENT && life_may_change())
		fd_passing_ready(from, to);
	return to;
}

#define TRIES_SHOWN 3u /* so many polls in a row are shown to a supervisor */

/* A call that does not wait found a file locked, which is known by its inode: who opens it anew each time closes it. */
static NOINLINE int not_locked(int fd, int error, uint64_t caller)
{
	struct stat file;

	if (thread_hot && (error == EWOULDBLOCK || error == EACCES) &&
	    !SYS2(SYS_fstat, fd, &file)) {
		thread_tried((const void *)MPSAN_TAG_ADDRESS(file.st_ino), MPSAN_WAIT_FILE_LOCK,
			     caller);
		if (MPSAN_TRIED_TIMES(thread_hot->tried.caller) == TRIES_SHOWN)
			thread_show();
	}
	errno = error;
	return -1;
}

EXPORT int flock(int fd, int operation)
{
	ENTER(flock);
	int result = REAL(flock)(fd, operation);

	return UNLIKELY(result) && operation & LOCK_NB ? not_locked(fd, errno, CALLER) : result;
}

#define LOCKF(name, type)                                                                       \
	EXPORT int name(int fd, int command, type bytes)                                        \
	{                                                                                       \
		ENTER(name);                                                                    \
		int result = REAL(name)(fd, command, bytes);                                    \
                                                                                                \
		return UNLIKELY(result) && command == F_TLOCK ? not_locked(fd, errno, CALLER) : \
								result;                         \
	}
LOCKF(lockf, off_t)
LOCKF(lockf64, off64_t)

static inline bool copies(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

static inline bool locks(int command)
{
	return command == F_SETLK || command == F_OFD_SETLK;
}

#define FCNTL(name)                                                       \
	EXPORT int name(int fd, int command, ...)                         \
	{                                                                 \
		ENTER(name);                                              \
		void *argument;                                           \
		va_list rest;                                             \
		int to;                                                   \
                                                                          \
		va_start(rest, command);                                  \
		argument = va_arg(rest, void *);                          \
		va_end(rest);                                             \
		if (LIKELY(!copies(command) && !locks(command)))          \
			return REAL(name)(fd, command, argument);         \
		to = REAL(name)(fd, command, argument);                   \
		if (locks(command))                                       \
			return to ? not_locked(fd, errno, CALLER) : to;   \
		to = copied(fd, to, CALLER);                              \
		if (LIKELY(!(descriptor_known(fd) & DESCRIPTOR_SEGMENT))) \
			return to;                                        \
		return command == F_DUPFD_CLOEXEC ? ready(fd, to) : to;   \
	}
FCNTL(fcntl)
FCNTL(fcntl64)
