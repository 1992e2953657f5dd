/*
 * Forks from several threads at once (argv[1] each) while others lock and unlock. Children take a lock that nobody
 * else uses and end. Prints how many children there were and how many ended well.
 */
#include "../preload/lib.h"

#define FORKERS 4
#define LOCKERS 8

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, quiet[FORKERS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int times, stop;
static long children, well;

static void *lock_and_unlock(void *argument)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&busy);
		pthread_mutex_unlock(&busy);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	return argument;
}

static void *fork_often(void *mutex)
{
	for (int i = 0; i < times; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_mutex_lock(mutex);
			pthread_mutex_unlock(mutex);
			_exit(0);
		}
		__atomic_fetch_add(&children, child > 0, __ATOMIC_RELAXED);
		__atomic_fetch_add(&well, child_wait(child) == 0, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t forker[FORKERS], locker[LOCKERS];

	must(argc == 2);
	times = atoi(argv[1]);
	for (int i = 0; i < LOCKERS; i++)
		must(pthread_create(&locker[i], NULL, lock_and_unlock, NULL) == 0);
	for (int i = 0; i < FORKERS; i++) {
		pthread_mutex_init(&quiet[i], NULL);
		must(pthread_create(&forker[i], NULL, fork_often, &quiet[i]) == 0);
	}
	for (int i = 0; i < FORKERS; i++)
		must(pthread_join(forker[i], NULL) == 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < LOCKERS; i++)
		must(pthread_join(locker[i], NULL) == 0);
	printf("%ld children, %ld well\n", children, well);
	return 0;
}
