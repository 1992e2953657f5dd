/*
 * One thread alone takes two mutexes in both orders, which does no harm. Then another thread takes them in the order
 * that the first one had before: now there are two.
 */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: both_orders a_then_b
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *both_orders(void *unused)
{
	nest(&lock_a, &lock_b);
	nest(&lock_b, &lock_a);
	return unused;
}

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

int main(void)
{
	run_thread(both_orders);
	run_thread(a_then_b);
	return 0;
}
