/*
 * A line of threads waits for a mutex that a sleeper gives back in the end: a long wait is not a deadlock. The
 * main thread, last in line, keeps another mutex that one more thread wants.
 */
// expect: none
#include "threads.h"

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_disk;
static int used;

static void use(pthread_mutex_t *mutex)
{
	mutex_take(mutex);
	__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED); /* under either mutex */
	mutex_give(mutex);
}

static void *sleeper_main(void *unused)
{
	mutex_take(&disk);
	gate_open(&has_disk);
	sleep_ms(WAIT_LOOKED_AT_MS);
	mutex_give(&disk);
	return unused;
}

static void *disk_main(void *unused)
{
	use(&disk);
	return unused;
}

static void *cache_main(void *unused)
{
	use(&cache);
	return unused;
}

int main(void)
{
	pthread_t sleeper, line[3], other;

	gate_init(&has_disk);
	sleeper = thread_start(sleeper_main);
	gate_wait(&has_disk);
	for (int i = 0; i < 3; i++)
		line[i] = thread_start(disk_main);
	mutex_take(&cache);
	other = thread_start(cache_main);
	use(&disk);
	mutex_give(&cache);
	for (int i = 0; i < 3; i++)
		thread_join(line[i]);
	thread_join(other);
	thread_join(sleeper);
	printf("used %d times\n", used);
	return 0;
}
