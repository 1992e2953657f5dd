/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work in a child process, with a time limit. */
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "filtered.h"
#include "system_calls.h"
#include "util.h"

#define LATE_NS 3000000000ull
#define END_MS 100 /* a killed child may stand in the kernel for longer: then it is left there */

bool apart_answer(int to, const void *bytes, size_t count)
{
	for (const char *at = bytes; count;) {
		ssize_t put = write(to, at, count);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		count -= (size_t)put;
	}
	return true;
}

/* No descriptor of ours is kept open by a child that is given up: a reader would wait for its end. */
static void close_others(int to, int keep)
{
	unsigned first = (unsigned)(to < keep || keep < 0 ? to : keep);
	unsigned last = (unsigned)(to < keep ? keep : to);

	if (first > 3)
		filtered_call(SYS_close_range, 3, first - 1, 0, 0, 0);
	if (last > first + 1)
		filtered_call(SYS_close_range, first + 1, last - 1, 0, 0, 0);
	filtered_call(SYS_close_range, last + 1, ~0u, 0, 0, 0);
}

static _Noreturn void be_child(void (*work)(int, void *), void *context, int to, int keep)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	close_others(to, keep);
	work(to, context);
	_exit(0);
}

/* What comes until the end; 0: that did not come in time (`late`), or it was too much. */
static size_t collect(int from, char *answer, size_t bytes, bool *late)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + LATE_NS, now;
	size_t count = 0;
	char more;

	while ((now = clock_ns(CLOCK_MONOTONIC)) < end_ns) {
		struct pollfd ready = {from, POLLIN, 0};
		ssize_t got;

		if (poll(&ready, 1, (int)((end_ns - now) / 1000000) + 1) <= 0)
			continue;
		got = count < bytes ? read(from, answer + count, bytes - count) :
				      read(from, &more, 1);
		if (!got)
			return count;
		if (count == bytes || (got < 0 && errno != EINTR))
			return 0;
		count += got < 0 ? 0 : (size_t)got;
	}
	*late = true;
	return 0;
}

/* Returns false if it goes on nevertheless. */
static bool end_child(pid_t child)
{
	kill(child, SIGKILL);
	for (unsigned ms = 0; ms < END_MS; ms++) {
		if (waitpid(child, NULL, WNOHANG))
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

/* Signals stay pending meanwhile: a handler of ours has nothing to do in the child. */
static pid_t start_child(void (*work)(int, void *), void *context, int keep, const int ends[2])
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (!child)
		be_child(work, context, ends[1], keep);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

size_t apart_ask(void (*work)(int to, void *context), void *context, int keep, void *answer,
		 size_t bytes)
{
	static bool late;
	int ends[2];
	size_t count = 0;
	pid_t child;

	if (late || !filtered_may(SYS_pipe2) || pipe2(ends, O_CLOEXEC))
		return 0;
	child = start_child(work, context, keep, ends);
	close(ends[1]);
	if (child > 0)
		count = collect(ends[0], answer, bytes, &late);
	close(ends[0]);
	if (child > 0)
		late |= !end_child(child);
	return count;
}
