/* The main thread's loop of events has an eventfd alone, which only its thread would have written to; that has returned early. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static bool broken = true;
static int done;

static NOINLINE void *work(void *unused)
{
	uint64_t one = 1;

	if (!broken && write(done, &one, sizeof(one)) != sizeof(one))
		abort();
	return unused;
}

int main(void)
{
	int set = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};

	done = eventfd(0, EFD_CLOEXEC);
	if (epoll_ctl(set, EPOLL_CTL_ADD, done, &event))
		abort();
	thread_start(work);
	return epoll_wait(set, &event, 1, -1) != 1;
}
