/*
 * Two modules that are set up at their first use, each under a mutex of its own and checked once more inside. The
 * second one's set-up asks the first one, and the first one's, on its slow path, the second. Two threads come in
 * from different ends; a third came early, knows the answer and works on.
 */
// expect: deadlock-cycle error
// ends: never
// frames: codec_get registry_get decode_main
// not: early_main
#include "threads.h"

#include <stdatomic.h>

struct module {
	pthread_mutex_t lock;
	_Atomic(int *) instance;
	int storage;
};

static struct module clock_module = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct module codec = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct module registry = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct meeting both_inside;

static int *codec_get(void);
static int *registry_get(void);

static int *clock_get(void)
{
	int *found = atomic_load(&clock_module.instance);

	if (found)
		return found;
	mutex_take(&clock_module.lock);
	clock_module.storage = 1;
	atomic_store(&clock_module.instance, &clock_module.storage);
	mutex_give(&clock_module.lock);
	return &clock_module.storage;
}

static NOINLINE int *codec_get(void)
{
	int *found = atomic_load(&codec.instance);

	if (found)
		return found;
	mutex_take(&codec.lock);
	found = atomic_load(&codec.instance);
	if (!found) {
		meet(&both_inside);
		codec.storage = *clock_get() + *registry_get();
		atomic_store(&codec.instance, found = &codec.storage);
	}
	mutex_give(&codec.lock);
	return found;
}

static NOINLINE int *registry_get(void)
{
	int *found = atomic_load(&registry.instance);

	if (found)
		return found;
	mutex_take(&registry.lock);
	found = atomic_load(&registry.instance);
	if (!found) {
		meet(&both_inside);
		registry.storage = *clock_get() + *codec_get();
		atomic_store(&registry.instance, found = &registry.storage);
	}
	mutex_give(&registry.lock);
	return found;
}

static NOINLINE void *early_main(void *unused)
{
	for (;;) {
		must(*clock_get() == 1);
		sleep_ms(10);
	}
	return unused;
}

static NOINLINE void *decode_main(void *unused)
{
	printf("codec %d\n", *codec_get());
	return unused;
}

int main(void)
{
	pthread_t decoder;

	meeting_init(&both_inside, 2);
	thread_start(early_main);
	decoder = thread_start(decode_main);
	printf("registry %d\n", *registry_get());
	thread_join(decoder);
	return 0;
}
