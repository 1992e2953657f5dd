/*
 * Threads keep a mutex each while they wait in ppoll(), without a limit and with one, pselect() and select() for the end
 * of children that wait for pipes to which the parent alone could write. The main thread wants the mutexes.
 */
// expect: missing-sentinel error
// options: --on-deadlock=kill-hopeless
// ends: never
// frames: ppoll_main pselect_main select_main await_main
// says: gives up after 71 s
#include "threads.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>

enum { THREADS = 4 };

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					 PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct meeting all_wait;
static int fds[THREADS];

static int start_child(void)
{
	int ends[2], fd;
	char byte;
	pid_t child;

	must(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		must(close(ends[1]) == 0);
		must(read(ends[0], &byte, 1) == 1);
		_exit(0);
	}
	must(close(ends[0]) == 0);
	fd = (int)syscall(SYS_pidfd_open, child, 0);
	must(fd >= 0);
	return fd;
}

static NOINLINE void *ppoll_main(void *unused)
{
	struct pollfd set = {fds[0], POLLIN, 0};

	mutex_take(&locks[0]);
	meet(&all_wait);
	must(ppoll(&set, 1, &(struct timespec){.tv_sec = 71}, NULL) == 0);
	return unused;
}

static NOINLINE void *pselect_main(void *unused)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fds[1], &set);
	mutex_take(&locks[1]);
	meet(&all_wait);
	must(pselect(fds[1] + 1, &set, NULL, NULL, &(struct timespec){.tv_sec = 72}, NULL) == 0);
	return unused;
}

static NOINLINE void *select_main(void *unused)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fds[2], &set);
	mutex_take(&locks[2]);
	meet(&all_wait);
	must(select(fds[2] + 1, &set, NULL, NULL, &(struct timeval){.tv_sec = 73}) == 0);
	return unused;
}

static NOINLINE void *await_main(void *unused)
{
	struct pollfd set = {fds[3], POLLIN, 0};

	mutex_take(&locks[3]);
	meet(&all_wait);
	must(ppoll(&set, 1, NULL, NULL) > 0);
	return unused;
}

int main(void)
{
	void *(*bodies[THREADS])(void *) = {ppoll_main, pselect_main, select_main, await_main};

	meeting_init(&all_wait, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		fds[i] = start_child();
	for (int i = 0; i < THREADS; i++)
		thread_start(bodies[i]);
	meet(&all_wait);
	for (int i = 0; i < THREADS; i++)
		mutex_take(&locks[i]);
	return 0;
}
