/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of `many PROCESSES` forked children with ten threads each, which wait for conditions, semaphores
 * and a pipe that the parent could write to; in one of them two threads are deadlocked. Writes a line when
 * all wait.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 9

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER,
		       guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both, begun;
static sem_t posts;
static int ends[2];

static void *forwards(void *unused)
{
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&two);
	return unused;
}

static void *backwards(void *unused)
{
	pthread_mutex_lock(&two);
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&one);
	return unused;
}

static void *by_semaphore(void *unused)
{
	pthread_barrier_wait(&begun);
	sem_wait(&posts);
	return unused;
}

static void *by_pipe(void *unused)
{
	char byte;

	pthread_barrier_wait(&begun);
	return read(ends[0], &byte, 1) ? unused : NULL;
}

static void *by_condition(void *unused)
{
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&guard);
	pthread_cond_wait(&change, &guard);
	return unused;
}

static void child(int dead, int ready)
{
	static void *(*const waits[])(void *) = {by_semaphore, by_pipe, by_condition};
	pthread_t thread[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_barrier_init(&both, NULL, 2);
	pthread_barrier_init(&begun, NULL, THREADS + 1);
	close(ends[1]);
	if (sem_init(&posts, 0, 0))
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL,
			       dead && i < 2 ? i ? backwards : forwards : waits[i % 3], NULL);
	pthread_barrier_wait(&begun);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 1, ready[2];
	char byte;

	if (pipe(ready) || pipe(ends))
		return 1;
	for (int i = 0; i < processes; i++)
		if (!fork())
			child(i == processes / 2, ready[1]);
	for (int i = 0; i < processes; i++)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	puts("all wait");
	fflush(stdout);
	while (!waitpid(-1, NULL, WNOHANG))
		sleep(1);
	return 0;
}
