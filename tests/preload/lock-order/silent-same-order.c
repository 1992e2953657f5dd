/* All threads take the mutexes in the same order, some leaving one out; one thread alone may do as it likes. */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER,
		       lock_c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *all(void *unused)
{
	take(&lock_a);
	nest(&lock_b, &lock_c);
	give(&lock_a);
	return unused;
}

static NOINLINE void *some(void *unused)
{
	nest(&lock_a, &lock_c);
	nest(&lock_a, &own);
	nest(&own, &lock_a);
	return unused;
}

int main(void)
{
	run_thread(all);
	run_thread(some);
	run_thread(all);
	return 0;
}
