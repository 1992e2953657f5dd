/*
 * Timers of the kernel that end a wait, by what the kernel says of them: those of timerfd_create for which a call waits,
 * and whom those of timer_create signal. Neighbour: tools/waits/due.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "proc/procfs.h"
#include "proc/ready_ends.h"
#include "proc/timers.h"

#define SECOND 1000000000ull

/* ---- timerfd ---- */

static int timer_in(time_t seconds)
{
	struct itimerspec after = {.it_value = {.tv_sec = seconds}, .it_interval = {.tv_sec = 3}};
	int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);

	assert_int_equal(timerfd_settime(timer, 0, &after, NULL), 0);
	return timer;
}

static uint64_t due_in(long number, uint64_t first, uint64_t second, uint64_t fourth)
{
	struct proc_call call = {
		.state = PROC_IN_CALL, .number = number, .arg = {first, second, 0, fourth}};

	return ready_timer_ns((uint32_t)getpid(), (uint32_t)gettid(), &call);
}

#define assert_due(seconds, ahead_ns)                                              \
	do {                                                                       \
		uint64_t ahead = ahead_ns;                                         \
		assert_in_range(ahead, ((seconds)-30) * SECOND, (seconds)*SECOND); \
	} while (0)

static void a_read_of_a_timer_ends_when_it_is_due(void **state)
{
	int timer = timer_in(100);

	(void)state;
	assert_due(100, due_in(SYS_read, (uint64_t)timer, 0, 0));
	assert_int_equal(due_in(SYS_write, (uint64_t)timer, 0, 0), 0);
	close(timer);
}

static void a_timer_that_is_not_set_ends_nothing(void **state)
{
	int timer = timer_in(0);

	(void)state;
	assert_int_equal(due_in(SYS_read, (uint64_t)timer, 0, 0), 0);
	close(timer);
}

static void the_first_timer_ends_a_poll(void **state)
{
	int ends[2], late = timer_in(300), first = timer_in(200), other = timer_in(100);
	struct pollfd fds[3];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	fds[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	fds[1] = (struct pollfd){.fd = late, .events = POLLIN};
	fds[2] = (struct pollfd){.fd = first, .events = POLLIN};
	assert_due(200, due_in(SYS_poll, (uint64_t)(uintptr_t)fds, 3, 0));
	assert_int_equal(due_in(SYS_poll, (uint64_t)(uintptr_t)fds, 1, 0), 0);
	close(late);
	close(first);
	close(other);
	close(ends[0]);
	close(ends[1]);
}

static void a_timer_ends_an_epoll_wait_of_its_set(void **state)
{
	struct epoll_event event = {.events = EPOLLIN};
	int timer = timer_in(100), set = epoll_create1(EPOLL_CLOEXEC),
	    empty = epoll_create1(EPOLL_CLOEXEC);

	(void)state;
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event), 0);
	assert_due(100, due_in(SYS_epoll_wait, (uint64_t)set, 0, UINT64_MAX));
	assert_int_equal(due_in(SYS_epoll_wait, (uint64_t)empty, 0, UINT64_MAX), 0);
	close(timer);
	close(set);
	close(empty);
}

/* ---- timers of timer_create ---- */

#define TIMER(signal, whom, clock) \
	"ID: 0\nsignal: " signal "/000056208ee52460\nnotify: " whom "\nClockID: " clock "\n"
#define TERM (1ull << 14)

static void a_timer_signals_its_thread_and_no_other(void **state)
{
	const char *text = TIMER("32", "signal/tid.17", "1");

	(void)state;
	assert_true(posix_timers_say(text, 17, 0));
	assert_false(posix_timers_say(text, 18, UINT64_MAX));
}

static void a_timer_signals_the_process_that_handles_it(void **state)
{
	const char *text = TIMER("14", "none/pid.17", "1") TIMER("15", "signal/pid.17", "0");

	(void)state;
	assert_true(posix_timers_say(text, 18, TERM));
	assert_false(posix_timers_say(text, 17, ~TERM));
}

static void a_clock_of_processor_time_stands_while_all_rest(void **state)
{
	(void)state;
	assert_false(posix_timers_say(TIMER("32", "signal/tid.17", "-6"), 17, 0));
	assert_false(posix_timers_say(TIMER("32", "signal/tid.17", "2"), 17, 0));
	assert_false(posix_timers_say(TIMER("32", "signal/tid.17", "3"), 17, 0));
}

static void what_is_no_list_of_timers_says_nothing(void **state)
{
	(void)state;
	assert_false(posix_timers_say("", 17, UINT64_MAX));
	assert_false(posix_timers_say("signal: ", 17, UINT64_MAX));
	assert_false(posix_timers_say(TIMER("0", "signal/pid.17", "1"), 17, UINT64_MAX));
	assert_false(posix_timers_say(TIMER("99", "signal/pid.17", "1"), 17, UINT64_MAX));
	assert_false(posix_timers_say("signal: 32/0\nnotify: signal/tid.17\n", 17, UINT64_MAX));
}

/* ---- whether any is set ---- */

static const char *list;

static int open_text(const char *name)
{
	int fd = list && !strcmp(name, "timer_list") ? memfd_create("text", MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, list, strlen(list)) < 0 || lseek(fd, 0, SEEK_SET)))
		abort();
	return fd;
}

#define LISTED(function) \
	" #0: <0>, " function ", S:01\n # expires at 90-90 nsecs [in 5 to 5 nsecs]\n"

static void the_kernel_says_whether_a_timer_is_set(void **state)
{
	static const struct procfs_source source = {.open = open_text};

	(void)state;
	procfs_use(&source);
	list = NULL;
	assert_false(posix_timers_rest());
	list = "";
	assert_false(posix_timers_rest());
	list = LISTED("it_real_fn") LISTED("posix_timer_fn");
	assert_false(posix_timers_rest());
	list = LISTED("it_real_fn") LISTED("hrtimer_wakeup");
	assert_true(posix_timers_rest());
	procfs_use(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_of_a_timer_ends_when_it_is_due),
		cmocka_unit_test(a_timer_that_is_not_set_ends_nothing),
		cmocka_unit_test(the_first_timer_ends_a_poll),
		cmocka_unit_test(a_timer_ends_an_epoll_wait_of_its_set),
		cmocka_unit_test(a_timer_signals_its_thread_and_no_other),
		cmocka_unit_test(a_timer_signals_the_process_that_handles_it),
		cmocka_unit_test(a_clock_of_processor_time_stands_while_all_rest),
		cmocka_unit_test(what_is_no_list_of_timers_says_nothing),
		cmocka_unit_test(the_kernel_says_whether_a_timer_is_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
