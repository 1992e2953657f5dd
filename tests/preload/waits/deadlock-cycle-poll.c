/*
 * Threads keep a mutex each while they wait, in poll(), select() and epoll_wait(), for what their own process alone
 * could make ready: a pipe, a socket, an eventfd, a timer that is not set, the end of a child that waits for the pipe. The
 * main thread wants the mutexes. Another child goes on, with epoll sets of its own that have the same numbers.
 */
// expect: deadlock-cycle error
// ends: never
// frames: poll_main select_main epoll_main event_main
// says: epoll_
#include "threads.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

enum { FDS = 5, THREADS = 4 };

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					 PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct meeting all_wait;
static int fds[FDS];

static NOINLINE void *poll_main(void *unused)
{
	struct pollfd set[FDS];

	for (int i = 0; i < FDS; i++)
		set[i] = (struct pollfd){fds[i], POLLIN, 0};
	mutex_take(&locks[0]);
	meet(&all_wait);
	must(poll(set, FDS, -1) > 0);
	mutex_give(&locks[0]);
	return unused;
}

static NOINLINE void *select_main(void *unused)
{
	fd_set set;

	FD_ZERO(&set);
	for (int i = 0; i < FDS; i++)
		FD_SET(fds[i], &set);
	mutex_take(&locks[1]);
	meet(&all_wait);
	must(select(fds[FDS - 1] + 1, &set, NULL, NULL, NULL) > 0);
	mutex_give(&locks[1]);
	return unused;
}

static NOINLINE void *epoll_main(void *unused)
{
	int set = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};

	for (int i = 0; i < FDS; i++)
		must(epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event) == 0);
	mutex_take(&locks[2]);
	meet(&all_wait);
	must(epoll_wait(set, &event, 1, -1) > 0);
	mutex_give(&locks[2]);
	return unused;
}

static NOINLINE void *event_main(void *unused)
{
	eventfd_t value;

	mutex_take(&locks[3]);
	meet(&all_wait);
	must(eventfd_read(fds[2], &value) == 0);
	mutex_give(&locks[3]);
	return unused;
}

static void start_bystander(void)
{
	if (fork())
		return;
	for (int fd = 3; fd < 32; fd++)
		must(dup2(epoll_create1(0), fd) == fd);
	while (true)
		pause();
}

static void open_all(void)
{
	int ends[2], pair[2];
	pid_t child;

	must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	fds[0] = ends[0];
	fds[1] = pair[0];
	fds[2] = eventfd(0, EFD_CLOEXEC);
	fds[3] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	child = fork();
	if (child == 0) {
		char byte;

		must(read(ends[0], &byte, 1) == 1);
		_exit(0);
	}
	fds[4] = (int)syscall(SYS_pidfd_open, child, 0);
	must(fds[4] >= 0);
	start_bystander();
}

int main(void)
{
	void *(*bodies[THREADS])(void *) = {poll_main, select_main, epoll_main, event_main};
	pthread_t thread[THREADS];

	open_all();
	meeting_init(&all_wait, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		thread[i] = thread_start(bodies[i]);
	meet(&all_wait);
	for (int i = 0; i < THREADS; i++) {
		mutex_take(&locks[i]);
		mutex_give(&locks[i]);
		thread_join(thread[i]);
	}
	return 0;
}
