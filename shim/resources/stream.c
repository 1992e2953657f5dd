/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines reads, writes and seeks on watched descriptors: shared offsets, pickled tensors,
 * connections to senders.
 */
#include "stream.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "fd_passing.h"
#include "shared_ofd.h"
#include "stdio.h"

#define HEAD_BYTES 1536u /* of a message: the names of its types are near its start */
#define COMPLAINT_LEAST 64u

STATE uint8_t stream_watch;
STATE uint64_t stream_fed_by;

void stream_feed(int fd, bool fed)
{
	uint32_t bit = 1u << fd % 32;

	if (!life_may_change())
		return;
	if (fed) {
		__atomic_fetch_or(&stream_fed_by, 1ull << fd, __ATOMIC_RELAXED);
		__atomic_fetch_or(&life.self->fed[fd / 32], bit, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_and(&stream_fed_by, ~(1ull << fd), __ATOMIC_RELAXED);
		__atomic_fetch_and(&life.self->fed[fd / 32], ~bit, __ATOMIC_RELAXED);
	}
}

/* What an interpreter closes at its end tells nothing about who wants what could be read there. */
void stream_closes(int fd)
{
	STATE static bool ran;

	if (stream_is_fed(fd))
		stream_feed(fd, false);
	if (python_present())
		ran = true;
	else if (UNLIKELY(ran) && life_may_change())
		life_mark(MPSAN_MARK_LEAVES);
}

void stream_follow(enum stream_watch what)
{
	if (!(stream_watch & what) && life_may_change() &&
	    (!life.forks_only || what == STREAM_COMPLAINTS))
		__atomic_fetch_or(&stream_watch, (uint8_t)what, __ATOMIC_RELAXED);
}

/* Whether `bytes` of memory hold `word`. */
static bool holds(const char *text, size_t bytes, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= bytes; i++)
		if (text[i] == word[0] && !memcmp(text + i, word, length))
			return true;
	return false;
}

void stream_start(void)
{
	if (holds(life.self->argv, life.self->argv_bytes, "multiprocessing.spawn") ||
	    holds(life.self->argv, life.self->argv_bytes, "multiprocessing.forkserver"))
		stream_follow(STREAM_COMPLAINTS);
}

void stream_forked(bool child)
{
	if (child)
		stream_fed_by = 0;
	stream_follow(STREAM_OFFSETS);
}

/* Whether it is a local pipe or socket: to another machine a tensor must be copied. */
static bool is_local(int fd)
{
	struct stat st;
	int domain = AF_UNSPEC;
	socklen_t length = sizeof(domain);

	if (SYS2(SYS_fstat, fd, &st) < 0)
		return false;
	return S_ISFIFO(st.st_mode) ||
	       (S_ISSOCK(st.st_mode) &&
		SYS6(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &length, 0) == 0 &&
		domain == AF_UNIX);
}

/* Whether it is a pickle in which torch's functions rebuild a tensor from bytes in the pickle. */
static NOINLINE bool holds_tensor(const void *data)
{
	char head[HEAD_BYTES];
	long bytes;

	if (sys_peek(head, data, 2) != 2 || head[0] != '\x80' || head[1] < 2 || head[1] > 5)
		return false;
	bytes = sys_peek(head, data, sizeof(head));
	return bytes > 0 && holds(head, (size_t)bytes, "torch._utils") &&
	       holds(head, (size_t)bytes, "_rebuild_tensor") &&
	       holds(head, (size_t)bytes, "_load_from_bytes");
}

/* Records a tensor as the count doubles: thousands take a dozen events. */
static void note_tensor(int fd, const void *data, size_t bytes, uint64_t caller)
{
	STATE static uint64_t count, total;
	uint64_t n, sum;

	if (!holds_tensor(data) || !is_local(fd))
		return;
	n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	sum = __atomic_add_fetch(&total, bytes, __ATOMIC_RELAXED);
	if (n & (n - 1))
		return;
	EMIT(pickled, .bytes = bytes, .count = n, .total = sum, .fd = (uint64_t)fd,
	     .caller = caller, .stack = stack_own(), .python = stack_python(0));
}

/*
 * Whether it is Python's error message about a main module that starts processes in a spawned
 * child.
 */
static NOINLINE bool is_complaint(const void *data, size_t bytes)
{
	char text[HEAD_BYTES];
	long got = sys_peek(text, data, bytes < sizeof(text) ? bytes : sizeof(text));

	return got > 0 && holds(text, (size_t)got,
				"An attempt has been made to start a new process before the");
}

static void note_complaint(const void *data, size_t bytes, uint64_t caller)
{
	if (is_complaint(data, bytes))
		EMIT(main_again, .how = MPSAN_MAIN_REFUSED, .caller = caller, .stack = stack_own(),
		     .python = stack_python(0));
}

ssize_t stream_was_read(int fd, ssize_t result, bool peeked, uint64_t caller)
{
	int error = errno;

	if (result > 0 && !stream_knows(fd))
		stream_feed(fd, true);
	if (LIKELY(!stream_watch || !stream_reads(fd)))
		return result;
	if (stream_watch & STREAM_PEERS && descriptor_known(fd) & DESCRIPTOR_PEER)
		fd_passing_result(fd, result, error, caller);
	if (peeked && result > 0 && stream_uses(fd, 0))
		shared_ofd_apart(
			fd); /* a process that peeks first has an agreement with the others */
	else if (result > 0 && stream_uses(fd, DESCRIPTOR_READ_TOLD))
		shared_ofd_used(fd, MPSAN_OFFSET_READ, caller);
	errno = error;
	return result;
}

void stream_is_written(int fd, const void *data, size_t bytes, uint64_t caller)
{
	if (!life_may_change())
		return;
	if (stream_uses(fd, DESCRIPTOR_WRITE_TOLD))
		shared_ofd_used(fd, MPSAN_OFFSET_WRITE, caller);
	if (stream_watch & STREAM_HANDS)
		fd_passing_hands(fd);
	GUARDED {
		if (data && bytes >= STREAM_LARGE)
			note_tensor(fd, data, bytes, caller);
		if (data && fd == 2 && stream_watch & STREAM_COMPLAINTS && bytes >= COMPLAINT_LEAST)
			note_complaint(data, bytes, caller);
	}
}

void stream_was_moved(int fd, uint64_t caller)
{
	if (stream_uses(fd, DESCRIPTOR_MOVE_TOLD))
		shared_ofd_used(fd, MPSAN_OFFSET_MOVE, caller);
}
