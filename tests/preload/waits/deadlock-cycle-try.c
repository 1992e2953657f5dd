/* Each of two threads has a mutex and tries the other's again and again, with a pause, without giving its own back. */
// expect: deadlock-cycle error
// options: --on-deadlock=kill-hopeless --hang-after 30
// ends: never
// frames: pull
#include "threads.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both;

static NOINLINE void pull(pthread_mutex_t *mine, pthread_mutex_t *yours)
{
	mutex_take(mine);
	meet(&both);
	while (pthread_mutex_trylock(yours))
		usleep(100000);
	mutex_give(yours);
	mutex_give(mine);
}

static NOINLINE void *pull_back(void *unused)
{
	pull(&two, &one);
	return unused;
}

int main(void)
{
	meeting_init(&both, 2);
	thread_start(pull_back);
	pull(&one, &two);
	return 0;
}
