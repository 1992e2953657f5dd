/* As lock-owner-killed-mutex with a robust mutex: the parent is told, makes it sound again and goes on. */
// expect: none
#include "lib.h"

#include <signal.h>

static pthread_mutex_t *mutex;
static struct gate taken;

static NOINLINE void child_keeps(void)
{
	must(pthread_mutex_lock(mutex) == 0);
	gate_open(&taken);
	pause();
}

static NOINLINE void child_inherits(void)
{
	must(pthread_mutex_lock(mutex) == EOWNERDEAD);
	must(pthread_mutex_consistent(mutex) == 0);
	puts("the child has the mutex");
	fflush(stdout);
	must(pthread_mutex_unlock(mutex) == 0);
}

int main(void)
{
	pid_t child, waiter;

	mutex = mutex_of(shared_memory(sizeof(*mutex)), PTHREAD_MUTEX_NORMAL,
			 PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST);
	gate_init(&taken);
	child = fork();
	if (child == 0) {
		child_keeps();
		_exit(0);
	}
	gate_wait(&taken);
	waiter = fork();
	if (waiter == 0) {
		child_inherits();
		_exit(0);
	}
	until_asleep(waiter, waiter);
	sleep_ms(WAIT_JUDGED_MS);
	must(kill(child, SIGKILL) == 0);
	child_wait(child);
	return child_wait(waiter);
}
