/* More pairs than the library follows: the report says so, and what was seen before still counts. */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: a_then_b b_then_a
// limit: lock orders not followed because there were too many pairs
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t row[12000];

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	for (int i = 0; i < 12000; i++)
		nest(&lock_a, &row[i]);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	nest(&lock_b, &lock_a);
	return unused;
}

int main(void)
{
	for (int i = 0; i < 12000; i++)
		must(pthread_mutex_init(&row[i], NULL) == 0);
	run_thread(b_then_a);
	run_thread(a_then_b);
	return 0;
}
