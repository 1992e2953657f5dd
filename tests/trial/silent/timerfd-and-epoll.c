/* epoll_wait without a limit, but a timerfd in its set ends it each second. */
// expect: none
#include "lib.h"
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

int main(void)
{
	struct itimerspec each = {.it_value = {.tv_sec = 2}, .it_interval = {.tv_sec = 1}};
	struct epoll_event event = {.events = EPOLLIN};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), set = epoll_create1(0);
	uint64_t ticks;

	must(timerfd_settime(timer, 0, &each, NULL) == 0);
	must(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) == 0);
	for (int i = 0; i < 4; i++) {
		must(epoll_wait(set, &event, 1, -1) == 1);
		must(read(timer, &ticks, sizeof(ticks)) == sizeof(ticks));
	}
	return 0;
}
