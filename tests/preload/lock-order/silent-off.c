/* Two threads take two mutexes in opposite orders. Nobody has asked for the rule, so nothing is said. */
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
	run_thread(b_then_a);
	return 0;
}
