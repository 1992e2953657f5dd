/* The second thread only tries for its second mutex, so it never waits for it; a limit of time ends a wait, too. */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

static NOINLINE void *b_tries_a(void *unused)
{
	struct timespec until = realtime_in_ms(1000);

	take(&lock_b);
	must(pthread_mutex_trylock(&lock_a) == 0);
	give(&lock_a);
	must(pthread_mutex_timedlock(&lock_a, &until) == 0);
	give(&lock_a);
	give(&lock_b);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(b_tries_a);
	return 0;
}
