/* A thread is cancelled while it has a mutex, and has no handler that would give it back. */
// expect: lock-owner-killed error
// or: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_list;

static NOINLINE void *walk(void *unused)
{
	mutex_take(&list);
	gate_open(&has_list);
	sleep(1000);
	mutex_give(&list);
	return unused;
}

int main(void)
{
	pthread_t walker;

	gate_init(&has_list);
	walker = thread_start(walk);
	gate_wait(&has_list);
	pthread_cancel(walker);
	thread_join(walker);
	mutex_take(&list);
	return 0;
}
