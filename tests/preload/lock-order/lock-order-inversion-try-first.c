/* A mutex that was taken by a try form keeps others waiting as any other does. */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: a_then_b tries_b_then_a
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

static NOINLINE void *tries_b_then_a(void *unused)
{
	must(pthread_mutex_trylock(&lock_b) == 0);
	take(&lock_a);
	give(&lock_a);
	give(&lock_b);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(tries_b_then_a);
	return 0;
}
