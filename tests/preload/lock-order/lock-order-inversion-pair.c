/*
 * Two threads take two mutexes in opposite orders, one thread after the other, so that nothing hangs. They come back
 * to it, and a third thread does the same: that is told once.
 */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: a_then_b b_then_a
// says: mutex \"lock_a\"
// says: while it held mutex \"lock_b\", taken at
// says: "count": 1,
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	for (int i = 0; i < 3; i++)
		nest(&lock_a, &lock_b);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	for (int i = 0; i < 3; i++)
		nest(&lock_b, &lock_a);
	return unused;
}

int main(int argc, char **argv)
{
	bool b_first = argc > 1 && strcmp(argv[1], "b_first") == 0;

	for (int i = 0; i < 4; i++)
		run_thread((i % 2 == 0) == b_first ? b_then_a : a_then_b);
	return 0;
}
