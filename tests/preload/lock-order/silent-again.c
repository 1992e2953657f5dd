/*
 * Between the two orders one of the mutexes is destroyed, or made anew without that: another lock, at the same
 * address.
 */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	nest(&lock_b, &lock_a);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	must(pthread_mutex_destroy(&lock_a) == 0);
	must(pthread_mutex_init(&lock_a, NULL) == 0);
	run_thread(b_then_a);
	must(pthread_mutex_init(&lock_b, NULL) == 0);
	run_thread(a_then_b);
	return 0;
}
