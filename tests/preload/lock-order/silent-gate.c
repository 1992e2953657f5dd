/* Opposite orders, but always behind one further mutex: no two threads are ever there at once. */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	take(&gate);
	nest(&lock_a, &lock_b);
	give(&gate);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	take(&gate);
	nest(&lock_b, &lock_a);
	give(&gate);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(b_then_a);
	return 0;
}
