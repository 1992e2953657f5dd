/*
 * The child waits in memory that it shares with its parent, which ends each wait: a condition variable, a
 * semaphore that is not even marked as shared between processes, and a futex.
 */
// expect: none
#include "lib.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ready;
	sem_t go;
	atomic_uint word;
};

static struct shared *shared;

static void child_waits(void)
{
	must(pthread_mutex_lock(&shared->lock) == 0);
	while (!shared->ready)
		must(pthread_cond_wait(&shared->changed, &shared->lock) == 0);
	must(pthread_mutex_unlock(&shared->lock) == 0);
	must(sem_wait(&shared->go) == 0);
	while (!atomic_load(&shared->word))
		syscall(SYS_futex, &shared->word, FUTEX_WAIT, 0, NULL);
}

static void until_waiting(pid_t child)
{
	until_asleep(child, child);
	sleep_ms(WAIT_JUDGED_MS);
}

int main(void)
{
	pthread_condattr_t attributes;
	pid_t child;

	shared = shared_memory(sizeof(*shared));
	mutex_of(&shared->lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
		 PTHREAD_MUTEX_STALLED);
	must(pthread_condattr_init(&attributes) == 0);
	must(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
	must(pthread_cond_init(&shared->changed, &attributes) == 0);
	must(sem_init(&shared->go, 1, 0) == 0);
	child = fork();
	if (child == 0) {
		child_waits();
		_exit(0);
	}
	until_waiting(child);
	must(pthread_mutex_lock(&shared->lock) == 0);
	shared->ready = true;
	must(pthread_cond_signal(&shared->changed) == 0);
	must(pthread_mutex_unlock(&shared->lock) == 0);
	until_waiting(child);
	must(sem_post(&shared->go) == 0);
	until_waiting(child);
	atomic_store(&shared->word, 1);
	must(syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1) >= 0);
	must(child_wait(child) == 0);
	puts("every wait ended");
	return 0;
}
