/*
 * A child that may not be traced, which a /proc with hidepid hides altogether, is the one that ends
 * its parent's wait: in a pipe, for a mutex, for a semaphore. With "deadlock" as second argument it
 * never does, and two threads of the parent wait for each other.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_S 2 /* longer than any proof takes */

static struct shared {
	pthread_mutex_t mutex;
	sem_t posted;
} * shared;
static int ends[2];
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void child(const char *what, int ready)
{
	prctl(PR_SET_DUMPABLE, 0);
	if (!strcmp(what, "mutex"))
		pthread_mutex_lock(&shared->mutex);
	if (write(ready, "", 1) != 1)
		_exit(1);
	sleep(LATE_S);
	if (!strcmp(what, "mutex"))
		pthread_mutex_unlock(&shared->mutex);
	else if (!strcmp(what, "semaphore"))
		sem_post(&shared->posted);
	else if (write(ends[1], "", 1) != 1)
		_exit(1);
	_exit(0);
}

static void *cross(void *unused)
{
	pthread_mutex_lock(&other);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&one);
	return unused;
}

static void deadlock(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_mutex_lock(&one);
	pthread_create(&thread, NULL, cross, NULL);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&other);
}

int main(int count, char **argument)
{
	const char *what = count > 1 ? argument[1] : "pipe";
	pthread_mutexattr_t between;
	int ready[2];
	char byte;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pthread_mutexattr_init(&between);
	pthread_mutexattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &between);
	sem_init(&shared->posted, 1, 0);
	if (pipe(ends) || pipe(ready))
		return 1;
	if (!fork())
		child(what, ready[1]);
	close(ends[1]);
	if (read(ready[0], &byte, 1) != 1)
		return 1;
	if (count > 2)
		deadlock();
	if (!strcmp(what, "mutex"))
		pthread_mutex_lock(&shared->mutex);
	else if (!strcmp(what, "semaphore"))
		sem_wait(&shared->posted);
	else if (read(ends[0], &byte, 1) != 1)
		return 1;
	return wait(NULL) < 0;
}
