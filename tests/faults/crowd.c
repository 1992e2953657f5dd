/*
 * A crowd: THREADS threads, each with ten of 5000 mutexes, wait on a condition; PROCESSES children
 * have a thread at work each, or EACH threads that wait. Then, with "deadlock", two threads wait for
 * each other for ever; else all ends after SECONDS. Says "ready" when everybody has come.
 *
 * usage: crowd THREADS PROCESSES SECONDS|deadlock [EACH]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LOCKS 5000
#define LOCKS_EACH 10
#define STACK (64u << 10)

static pthread_mutex_t lock[LOCKS], mutex = PTHREAD_MUTEX_INITIALIZER,
				    one = PTHREAD_MUTEX_INITIALIZER,
				    other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_here, both_here;

static void *wait_main(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
	return unused;
}

static void *idle_main(void *number)
{
	long first = (long)number * LOCKS_EACH;

	for (int i = 0; i < LOCKS_EACH; i++)
		pthread_mutex_lock(&lock[(first + i) % LOCKS]);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_barrier_wait(&all_here);
	return wait_main(NULL);
}

static void *busy_main(void *unused)
{
	const struct timespec nap = {.tv_nsec = 20000000};

	for (;;) {
		nanosleep(&nap, NULL);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void start(void *(*routine)(void *), long number)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&thread, &attr, routine, (void *)number))
		exit(2);
}

static void make_children(int count, int waiting)
{
	for (int i = 0; i < count; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!waiting)
			start(busy_main, 0);
		for (int k = 0; k < waiting; k++)
			start(wait_main, 0);
		pause();
	}
}

static void *crossing_main(void *unused)
{
	pthread_mutex_lock(&other);
	pthread_barrier_wait(&both_here);
	pthread_mutex_lock(&one);
	return unused;
}

static void make_deadlock(void)
{
	pthread_barrier_init(&both_here, NULL, 2);
	start(crossing_main, 0);
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both_here);
	pthread_mutex_lock(&other);
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[1]) : 0;

	if (argc < 4)
		return 2;
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&lock[i], NULL);
	make_children(atoi(argv[2]), argc > 4 ? atoi(argv[4]) : 0);
	pthread_barrier_init(&all_here, NULL, (unsigned)threads + 1);
	for (long i = 0; i < threads; i++)
		start(idle_main, i);
	pthread_barrier_wait(&all_here);
	puts("ready");
	fflush(stdout);
	if (!strcmp(argv[3], "deadlock"))
		make_deadlock();
	sleep((unsigned)atoi(argv[3]));
	puts("done");
	fflush(stdout);
	_exit(0);
}
