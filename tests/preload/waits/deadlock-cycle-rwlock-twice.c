/*
 * A reader reads again while a writer waits for it. The lock prefers writers: the second read waits for the writer. A thread
 * that ticks has nothing to do with it.
 */
// expect: deadlock-cycle error
// ends: never
// frames: look_again change
// not: tick_main
// outside: nothing: who reads, beside a thread that ticks
#include "lib.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct gate ready;
static pid_t writer;

static NOINLINE void change(void)
{
	must(pthread_rwlock_wrlock(&lock) == 0);
}

static void *change_main(void *unused)
{
	writer = gettid();
	gate_open(&ready);
	change();
	return unused;
}

static void *tick_main(void *unused)
{
	for (;;)
		usleep(20000);
	return unused;
}

static NOINLINE void look_again(void)
{
	must(pthread_rwlock_rdlock(&lock) == 0);
}

static bool writer_waits(void)
{
	return pthread_rwlock_tryrdlock(&lock) == EBUSY;
}

int main(void)
{
	pthread_t thread;

	gate_init(&ready);
	must(pthread_rwlock_rdlock(&lock) == 0);
	must(pthread_create(&thread, NULL, tick_main, NULL) == 0);
	must(pthread_create(&thread, NULL, change_main, NULL) == 0);
	gate_wait(&ready);
	while (!writer_waits())
		must(pthread_rwlock_unlock(&lock) == 0);
	until_asleep(getpid(), writer);
	look_again();
	return 0;
}
