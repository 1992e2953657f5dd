/* Two semaphores that serve as locks, from their first use on. */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: a_then_b b_then_a
#include "order.h"

#include <semaphore.h>

static sem_t lock_a, lock_b;

static NOINLINE void *a_then_b(void *unused)
{
	must(sem_wait(&lock_a) == 0 && sem_wait(&lock_b) == 0);
	must(sem_post(&lock_b) == 0 && sem_post(&lock_a) == 0);
	return unused;
}

static NOINLINE void *b_then_a(void *unused)
{
	must(sem_wait(&lock_b) == 0 && sem_wait(&lock_a) == 0);
	must(sem_post(&lock_a) == 0 && sem_post(&lock_b) == 0);
	return unused;
}

int main(void)
{
	must(sem_init(&lock_a, 0, 1) == 0 && sem_init(&lock_b, 0, 1) == 0);
	run_thread(a_then_b);
	run_thread(b_then_a);
	return 0;
}
