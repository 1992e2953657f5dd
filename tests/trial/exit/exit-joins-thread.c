/* exit() runs a handler that joins a thread, which waits on a condition that main() would have signalled. */
// expect: deadlock-cycle error
// within: 6
// says: a handler or destructor that exit\(\) runs
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop = PTHREAD_COND_INITIALIZER;
static bool stopping;
static pthread_t flusher;

static NOINLINE void *flush(void *unused)
{
	mutex_take(&lock);
	while (!stopping)
		pthread_cond_wait(&stop, &lock);
	mutex_give(&lock);
	return unused;
}

static NOINLINE void join_flusher(void)
{
	thread_join(flusher);
}

int main(void)
{
	flusher = thread_start(flush);
	atexit(join_flusher);
	exit(0);
}
