/*
 * A child is stopped, as by a debugger or Ctrl-Z, while it keeps a process-shared mutex. The parent waits for the
 * mutex until another child lets the first go on.
 */
// expect: none
#include "threads.h"

#include <signal.h>

static struct shared {
	pthread_mutex_t mutex;
	struct gate taken;
} * shared;

static void keep_and_stop(void)
{
	mutex_take(&shared->mutex);
	gate_open(&shared->taken);
	must(raise(SIGSTOP) == 0);
	mutex_give(&shared->mutex);
	_exit(0);
}

static void continue_later(pid_t stopped)
{
	sleep_ms(WAIT_LOOKED_AT_MS);
	must(kill(stopped, SIGCONT) == 0);
	_exit(0);
}

int main(void)
{
	pid_t keeper, helper;
	int status;

	shared = shared_memory(sizeof(*shared));
	mutex_of(&shared->mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
		 PTHREAD_MUTEX_STALLED);
	gate_init(&shared->taken);
	keeper = fork();
	if (keeper == 0)
		keep_and_stop();
	gate_wait(&shared->taken);
	must(waitpid(keeper, &status, WUNTRACED) == keeper && WIFSTOPPED(status));
	helper = fork();
	if (helper == 0)
		continue_later(keeper);
	mutex_take(&shared->mutex);
	mutex_give(&shared->mutex);
	puts("had the mutex");
	return child_wait(keeper) | child_wait(helper);
}
