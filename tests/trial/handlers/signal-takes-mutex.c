/* A handler of SIGUSR2 takes the mutex that the interrupted thread holds. */
// expect: self-deadlock error
// says: SIGUSR2
// within: 6
#include "threads.h"
#include <signal.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int in_use;

static NOINLINE void on_dump(int number)
{
	(void)number;
	mutex_take(&pool_lock);
	in_use = 0;
	mutex_give(&pool_lock);
}

int main(void)
{
	signal(SIGUSR2, on_dump);
	mutex_take(&pool_lock);
	in_use++;
	raise(SIGUSR2);
	mutex_give(&pool_lock);
	return 0;
}
