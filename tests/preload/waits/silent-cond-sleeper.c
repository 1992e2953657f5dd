/*
 * As deadlock-cycle-cond, but whoever signals sleeps first and wants nothing that the waiters keep: two threads wait on a
 * condition variable, one of them with a second mutex, and another one for that mutex.
 */
// expect: none
#include "threads.h"

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct gate has_registry;
static int items;

static void take_item(void)
{
	mutex_take(&queue);
	while (items == 0)
		must(pthread_cond_wait(&filled, &queue) == 0);
	items--;
	mutex_give(&queue);
}

static void *registrar_main(void *unused)
{
	mutex_take(&registry);
	gate_open(&has_registry);
	take_item();
	mutex_give(&registry);
	return unused;
}

static void *visitor_main(void *unused)
{
	mutex_take(&registry);
	mutex_give(&registry);
	return unused;
}

static void *sleeper_main(void *unused)
{
	sleep_ms(WAIT_LOOKED_AT_MS);
	mutex_take(&queue);
	items = 2;
	must(pthread_cond_broadcast(&filled) == 0);
	mutex_give(&queue);
	return unused;
}

int main(void)
{
	pthread_t registrar, visitor, sleeper;

	gate_init(&has_registry);
	registrar = thread_start(registrar_main);
	gate_wait(&has_registry);
	visitor = thread_start(visitor_main);
	sleeper = thread_start(sleeper_main);
	take_item();
	thread_join(registrar);
	thread_join(visitor);
	thread_join(sleeper);
	printf("%d items left\n", items);
	return 0;
}
