/*
 * A thread would signal a condition variable; the forked child waits on its copy of it, and nobody is
 * there to signal.
 */
// expect: fork-lost-wakeup error
// ends: never
// frames: child_waits child_run
// says: the one thread that was started from
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;
static struct gate started, stop;

static void *signaller_main(void *unused)
{
	(void)unused;
	gate_open(&started);
	gate_wait(&stop);
	return NULL;
}

static NOINLINE void child_waits(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	while (!ready)
		must(pthread_cond_wait(&changed, &lock) == 0);
}

int main(void)
{
	pthread_t signaller;

	gate_init(&started);
	gate_init(&stop);
	must(pthread_create(&signaller, NULL, signaller_main, NULL) == 0);
	gate_wait(&started);
	return child_run(child_waits);
}
