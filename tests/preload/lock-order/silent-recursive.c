/* A recursive mutex is taken again behind another one: its owner never waits for it. */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_b_a(void *unused)
{
	take(&lock_a);
	nest(&lock_b, &lock_a);
	give(&lock_a);
	return unused;
}

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

int main(void)
{
	mutex_of(&lock_a, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	run_thread(a_b_a);
	run_thread(a_then_b);
	return 0;
}
