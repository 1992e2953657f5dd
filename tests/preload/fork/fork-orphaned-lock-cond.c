/*
 * One thread waits on a condition variable, which lets go of the mutex where no mutex function is called;
 * another thread then keeps that mutex over the fork. The evidence must name the keeper, not the waiter.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
// not: waiter_main
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool waits;

static NOINLINE void *waiter_main(void *unused)
{
	(void)unused;
	must(pthread_mutex_lock(&lock) == 0);
	waits = true;
	while (waits)
		must(pthread_cond_wait(&changed, &lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	return NULL;
}

/* The mutex can be had with `waits` set only while the waiter sleeps inside the condition variable. */
static void take(void)
{
	for (;;) {
		must(pthread_mutex_lock(&lock) == 0);
		if (waits)
			return;
		must(pthread_mutex_unlock(&lock) == 0);
	}
}

static NOINLINE void child_wants(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};
	pthread_t waiter;

	must(pthread_create(&waiter, NULL, waiter_main, NULL) == 0);
	keeper_start(&keeper);
	return child_run(child_wants);
}
