/* SPDX-License-Identifier: Apache-2.0 */
/* Asks one after the other what could be due, the cheapest first. */
#include "due.h"

#include <signal.h>

#include "../base/system_calls.h"
#include "../proc/calls.h"
#include "../proc/timers.h"
#include "outside.h"
#include "pythreads.h"
#include "waits_look.h"

/* Signals to a process go to its main thread, unless that blocks them; Python runs all handlers there. */
static uint64_t handlers_of(const struct look *look)
{
	return look->thread->tid == look->thread->pid ? look_handlers(look) : 0;
}

/* An alarm that rings once. Whose it is is unknown from outside. */
static bool alarm_is_set(const struct look *look, uint64_t *at_ns)
{
	if (look->snapshot->outside)
		return outside_has_alarm(look->snapshot->outside, look->thread, OUTSIDE_ANY_ALARM);
	*at_ns = look_alarm_ns(look);
	return *at_ns;
}

/* It waits for the alarm itself, in sigwait() and the like, and no handler runs. */
static bool awaits_alarm(const struct look *look)
{
	uint64_t signals;

	return look->thread->call.number == SYS_rt_sigtimedwait &&
	       proc_peek(look->thread->pid, look->thread->call.arg[0], &signals, sizeof(signals)) &&
	       signals & 1ull << (SIGALRM - 1);
}

/* What rings in a test is the test's limit, and no part of it. */
static bool by_alarm(struct look *look, struct due *due)
{
	if (!(handlers_of(look) & 1ull << (SIGALRM - 1) || awaits_alarm(look)) ||
	    !alarm_is_set(look, &due->at_ns) ||
	    (look_process(look)->python && pythread_in_test(look->thread)))
		return false;
	due->sleeps = due->once = true;
	return true;
}

/* The C library runs the functions of timers (SIGEV_THREAD) by a thread that waits for a signal to itself. */
static bool by_posix_timer(struct look *look, struct due *due)
{
	bool waits = look->thread->call.number == SYS_rt_sigtimedwait;

	if (!waits && !handlers_of(look))
		return false;
	due->sleeps = true;
	return posix_timers_signal(look->thread->pid, waits ? look->thread->tid : 0,
				   handlers_of(look)) &&
	       !posix_timers_rest();
}

static bool by_limit(struct look *look, struct due *due)
{
	const struct snapshot_thread *thread = look->thread;

	due->sleeps = call_is_sleep(&thread->call);
	due->at_ns = call_ends_ns(thread->pid, &thread->call, thread->still_ns);
	return call_has_limit(&thread->call);
}

static bool by_timerfd(struct look *look, struct due *due)
{
	due->sleeps = !call_is_poll(&look->thread->call);
	due->at_ns = ready_sets_timer_ns(&look->waits->wakers.ready, look->snapshot, look->thread);
	return due->at_ns;
}

struct due due_of(struct waits *waits, uint32_t thread)
{
	static bool (*const by[])(struct look *, struct due *) = {by_alarm, by_posix_timer,
								  by_limit, by_timerfd};
	struct look look = {waits, waits->snapshot, &waits->snapshot->threads.item[thread],
			    &waits->item.item[thread]};
	struct due due = {0};

	if (look.thread->call.state != PROC_IN_CALL)
		return due;
	for (size_t i = 0; i < sizeof(by) / sizeof(*by) && !due.is; i++) {
		due = (struct due){0};
		due.is = by[i](&look, &due);
	}
	if (due.is && proc_is_stopped(look.thread->pid, look.thread->tid)) /* time passes it by */
		return (struct due){0};
	return due;
}
