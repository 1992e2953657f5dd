/*
 * The parent has one order, its forked child the other one. They are different locks by then, and the child never
 * takes them in the parent's order. What the child's own threads do is told.
 */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: c_then_b b_then_c
// not: a_then_b b_then_a
#include "order.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER,
		       lock_c = PTHREAD_MUTEX_INITIALIZER;

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

static NOINLINE void *b_then_c(void *unused)
{
	nest(&lock_b, &lock_c);
	return unused;
}

static NOINLINE void *c_then_b(void *unused)
{
	nest(&lock_c, &lock_b);
	return unused;
}

static void child_body(void)
{
	run_thread(b_then_a);
	run_thread(b_then_c);
	run_thread(c_then_b);
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(b_then_c);
	run_thread(b_then_c);
	return child_run(child_body);
}
