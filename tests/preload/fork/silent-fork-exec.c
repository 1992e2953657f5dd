/*
 * A thread holds a lock while the main thread starts programs by fork and exec, and by vfork and exec. The
 * programs outlive the time in which a held lock is judged: exec left the lock behind.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void start_sleep(void)
{
	execl("/bin/sh", "sh", "-c", "sleep 1.3; echo slept", (char *)NULL);
	_exit(127);
}

static int vfork_and_exec(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "sleep 1.3; echo slept", (char *)NULL);
		_exit(127);
	}
	return child_wait(child);
}

int main(void)
{
	static struct keeper keeper = {.take = take, .give = give};

	keeper_start(&keeper);
	must(child_run(start_sleep) == 0);
	must(vfork_and_exec() == 0);
	keeper_stop(&keeper);
	return 0;
}
