/* Readers do not wait for readers, whatever their order; and a reader that is asked for first lets one through. */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

static pthread_rwlock_t lock_a = PTHREAD_RWLOCK_INITIALIZER, lock_b = PTHREAD_RWLOCK_INITIALIZER;

static NOINLINE void *a_then_b(void *unused)
{
	must(pthread_rwlock_rdlock(&lock_a) == 0);
	must(pthread_rwlock_rdlock(&lock_b) == 0);
	must(pthread_rwlock_unlock(&lock_b) == 0);
	must(pthread_rwlock_unlock(&lock_a) == 0);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	must(pthread_rwlock_rdlock(&lock_b) == 0);
	must(pthread_rwlock_rdlock(&lock_a) == 0);
	must(pthread_rwlock_unlock(&lock_a) == 0);
	must(pthread_rwlock_unlock(&lock_b) == 0);
	return unused;
}

static NOINLINE void *b_then_a_written(void *unused)
{
	must(pthread_rwlock_wrlock(&lock_b) == 0);
	must(pthread_rwlock_rdlock(&lock_a) == 0);
	must(pthread_rwlock_unlock(&lock_a) == 0);
	must(pthread_rwlock_unlock(&lock_b) == 0);
	return unused;
}

int main(void)
{
	run_thread(a_then_b);
	run_thread(b_then_a);
	run_thread(b_then_a_written);
	return 0;
}
