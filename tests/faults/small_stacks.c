/*
 * Threads with the smallest stacks that there are do what hooks look at most closely: contended locks of all kinds,
 * waits that run out, shared memory, forks beside others that hold locks, threads of their own. Prints a line when all is done.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(1);
	}
}

static struct timespec soon(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

static void locks(void)
{
	struct timespec at;

	pthread_mutex_lock(&mutex);
	sched_yield();
	at = soon();
	pthread_cond_timedwait(&condition, &mutex, &at);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	sem_wait(&semaphore);
	sched_yield();
	sem_post(&semaphore);
}

static void memory(void)
{
	int fd = memfd_create("small", MFD_CLOEXEC);
	char *at = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap");
	at[0] = 1;
	munmap(at, 4096);
	close(fd);
}

/* Beside threads that hold locks. */
static void child(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(7);
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7, "fork");
}

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		locks();
		memory();
		if (i % 5 == 0)
			child();
	}
	return argument;
}

int main(void)
{
	pthread_t thread[THREADS];
	pthread_attr_t attr;

	must(!sem_init(&semaphore, 0, 1) && !pthread_attr_init(&attr) &&
		     !pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN),
	     "init");
	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&thread[i], &attr, work, NULL), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	puts("all threads have ended");
	return 0;
}
