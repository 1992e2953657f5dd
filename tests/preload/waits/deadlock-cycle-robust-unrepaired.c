/*
 * The owner of a robust mutex ends. The next thread gets EOWNERDEAD, takes it for a failure, and neither repairs nor unlocks
 * the mutex: it has it, and joins a thread that wants it.
 */
// expect: deadlock-cycle error
// ends: never
// frames: clean_up work
#include "lib.h"

static pthread_mutex_t lock;

static void *dies_main(void *unused)
{
	must(pthread_mutex_lock(&lock) == 0);
	return unused;
}

static NOINLINE void work(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void *work_main(void *unused)
{
	work();
	return unused;
}

static NOINLINE void clean_up(pthread_t worker)
{
	must(pthread_join(worker, NULL) == 0);
}

int main(void)
{
	pthread_t thread;

	mutex_of(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	must(pthread_create(&thread, NULL, dies_main, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
	must(pthread_mutex_lock(&lock) == EOWNERDEAD);
	must(pthread_create(&thread, NULL, work_main, NULL) == 0);
	clean_up(thread);
	return 0;
}
