/* Three threads, three mutexes, each thread takes two of them: together they make a circle. */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: a_then_b b_then_c c_then_a
// says: form a cycle
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER,
		       lock_c = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	nest(&lock_a, &lock_b);
	return unused;
}

static NOINLINE void *b_then_c(void *unused)
{
	nest(&lock_b, &lock_c);
	return unused;
}

static NOINLINE void *c_then_a(void *unused)
{
	nest(&lock_c, &lock_a);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(b_then_c);
	run_thread(c_then_a);
	return 0;
}
