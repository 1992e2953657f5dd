/* A loop of events has an eventfd alone, and its thread has ended: the handler of a signal that another program sends writes to it. */
// expect: none
#include "threads.h"
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

static int done;

static void tell(int number)
{
	uint64_t one = 1;

	(void)number;
	must(write(done, &one, sizeof(one)) == sizeof(one));
}

static NOINLINE void *warm_up(void *unused)
{
	return unused;
}

int main(void)
{
	int set = epoll_create1(EPOLL_CLOEXEC), count;
	struct epoll_event event = {.events = EPOLLIN};

	done = eventfd(0, EFD_CLOEXEC);
	must(signal(SIGUSR1, tell) != SIG_ERR);
	must(epoll_ctl(set, EPOLL_CTL_ADD, done, &event) == 0);
	thread_join(thread_start(warm_up));
	if (fork() == 0) {
		execl("/bin/sh", "sh", "-c", "sleep 5; kill -USR1 $PPID", NULL);
		_exit(127);
	}
	do
		count = epoll_wait(set, &event, 1, -1);
	while (count < 0);
	must(count == 1 && wait(NULL) > 0);
	return 0;
}
