/* Two threads that wait for each other; with an argument, in a process that its own user may not trace. */
#include <pthread.h>
#include <sys/prctl.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(second);
}

static void *leftist(void *unused)
{
	take(&left, &right);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1)
		prctl(PR_SET_DUMPABLE, 0);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, leftist, NULL);
	take(&right, &left);
	return 0;
}
