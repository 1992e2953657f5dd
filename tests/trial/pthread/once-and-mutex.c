/* An initialiser of pthread_once needs a mutex, whose owner waits for the initialiser. */
// expect: deadlock-cycle error
// within: 6
// says: wait-for cycle
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t made = PTHREAD_ONCE_INIT;
static struct gate locked, begun;

static void make(void)
{
	gate_open(&begun);
	mutex_take(&lock);
	mutex_give(&lock);
}

static void *use_first(void *unused)
{
	gate_wait(&locked);
	pthread_once(&made, make);
	return unused;
}

static void *use_under_lock(void *unused)
{
	mutex_take(&lock);
	gate_open(&locked);
	gate_wait(&begun);
	pthread_once(&made, make);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t first;

	gate_init(&locked);
	gate_init(&begun);
	first = thread_start(use_first);
	thread_join(thread_start(use_under_lock));
	thread_join(first);
	return 0;
}
