/*
 * Four threads each keep a mutex until a timerfd is due in five seconds, for which they wait in read, poll, select or
 * epoll_wait without a time limit; four others wait for the mutexes. The kernel knows when that ends.
 */
// expect: none
// options: --hang-after 2
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#include "threads.h"

enum way { READ, POLL, SELECT, EPOLL, WAYS };

static struct keeping {
	pthread_mutex_t mutex;
	struct gate kept;
	enum way way;
	int timer;
} all[WAYS];

static void await_poll(int timer)
{
	struct pollfd fds[] = {{.fd = 0}, {.fd = timer, .events = POLLIN}};
	int ends[2];

	must(pipe(ends) == 0);
	fds[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	must(poll(fds, 2, -1) == 1);
}

static void await_select(int timer)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(timer, &set);
	must(select(timer + 1, &set, NULL, NULL, NULL) == 1);
}

static void await_epoll(int timer)
{
	struct epoll_event event = {.events = EPOLLIN};
	int set = epoll_create1(0);

	must(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) == 0);
	must(epoll_wait(set, &event, 1, -1) == 1);
}

static void *keep_main(void *argument)
{
	struct keeping *keeping = argument;
	uint64_t ticks;

	mutex_take(&keeping->mutex);
	gate_open(&keeping->kept);
	if (keeping->way == POLL)
		await_poll(keeping->timer);
	if (keeping->way == SELECT)
		await_select(keeping->timer);
	if (keeping->way == EPOLL)
		await_epoll(keeping->timer);
	must(read(keeping->timer, &ticks, sizeof(ticks)) == sizeof(ticks));
	mutex_give(&keeping->mutex);
	return NULL;
}

static void *want_main(void *argument)
{
	struct keeping *keeping = argument;

	gate_wait(&keeping->kept);
	mutex_take(&keeping->mutex);
	mutex_give(&keeping->mutex);
	return NULL;
}

int main(void)
{
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
					   CLOCK_MONOTONIC};
	struct itimerspec after = {.it_value = {.tv_sec = 5}};
	pthread_t threads[2 * WAYS];

	for (int i = 0; i < WAYS; i++) {
		all[i].way = (enum way)i;
		must(pthread_mutex_init(&all[i].mutex, NULL) == 0);
		gate_init(&all[i].kept);
		all[i].timer = timerfd_create(clocks[i], 0);
		must(timerfd_settime(all[i].timer, 0, &after, NULL) == 0);
		must(pthread_create(&threads[2 * i], NULL, keep_main, &all[i]) == 0);
		must(pthread_create(&threads[2 * i + 1], NULL, want_main, &all[i]) == 0);
	}
	for (int i = 0; i < 2 * WAYS; i++)
		thread_join(threads[i]);
	puts("all timers rang");
	return 0;
}
