/*
 * The main thread has ended, and another one forks while a third has a spin lock in shared memory: the child
 * waits for it until its owner gives it back. Of the process as such the kernel lists no mappings any more.
 */
// expect: none
// note: fork-threads
// says: with 2 threads called fork() at forks
#include "threads.h"

#include <sys/mman.h>

static pthread_spinlock_t *lock;
static struct meeting held, forked;

static void *holds(void *unused)
{
	must(pthread_spin_lock(lock) == 0);
	meet(&held);
	meet(&forked);
	sleep_ms(300);
	must(pthread_spin_unlock(lock) == 0);
	return unused;
}

static void *forks(void *unused)
{
	pid_t child;

	meet(&held);
	sleep_ms(200); /* until the main thread has ended */
	child = fork();
	must(child >= 0);
	if (child == 0) {
		must(pthread_spin_lock(lock) == 0);
		_exit(0);
	}
	meet(&forked);
	must(waitpid(child, NULL, 0) == child);
	return unused;
}

int main(void)
{
	lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(lock != MAP_FAILED);
	must(pthread_spin_init(lock, PTHREAD_PROCESS_SHARED) == 0);
	meeting_init(&held, 2);
	meeting_init(&forked, 2);
	thread_start(holds);
	thread_start(forks);
	pthread_exit(NULL);
}
