/*
 * A process-shared mutex in shared memory is held by a thread of the parent at the fork. The child waits
 * for it longer than a wait must last to be judged, and gets it: the parent can give it back.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t *lock;

static void take(void)
{
	must(pthread_mutex_lock(lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(lock) == 0);
}

static void child_works(void)
{
	take();
	puts("child had the lock");
	fflush(stdout);
	give();
}

int main(void)
{
	static struct keeper keeper = {.take = take, .give = give};
	pid_t child;

	lock = mutex_of(shared_memory(sizeof(*lock)), PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
			PTHREAD_MUTEX_STALLED);
	keeper_start(&keeper);
	child = fork();
	if (child == 0) {
		child_works();
		_exit(0);
	}
	until_asleep(child, child);
	sleep_ms(WAIT_JUDGED_MS);
	keeper_stop(&keeper);
	return child_wait(child);
}
