/*
 * A reader reads again while a writer waits for it: with the preset kind of lock it does not wait; with one that prefers
 * writers it waits until the writer gives up.
 */
// expect: none
#include "lib.h"

static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER,
			prefers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct gate ready;
static pid_t writer;

static void *patient_main(void *unused)
{
	writer = gettid();
	gate_open(&ready);
	must(pthread_rwlock_wrlock(&plain) == 0);
	return unused;
}

static void *gives_up_main(void *unused)
{
	struct timespec until;

	must(clock_gettime(CLOCK_REALTIME, &until) == 0);
	until.tv_sec += 1;
	writer = gettid();
	gate_open(&ready);
	must(pthread_rwlock_timedwrlock(&prefers, &until) == ETIMEDOUT);
	return unused;
}

static void read_twice(pthread_rwlock_t *lock, void *(*body)(void *))
{
	pthread_t thread;

	must(pthread_rwlock_rdlock(lock) == 0);
	must(pthread_create(&thread, NULL, body, NULL) == 0);
	gate_wait(&ready);
	until_asleep(getpid(), writer);
	must(pthread_rwlock_rdlock(lock) == 0);
	must(pthread_rwlock_unlock(lock) == 0);
	must(pthread_rwlock_unlock(lock) == 0);
	must(pthread_join(thread, NULL) == 0);
}

int main(void)
{
	gate_init(&ready);
	read_twice(&plain, patient_main);
	read_twice(&prefers, gives_up_main);
	puts("read twice");
	return 0;
}
