/*
 * Two threads and two mutexes in a circle, and twenty that want one of them: those of the circle have a step each,
 * the crowd has one.
 */
// expect: deadlock-cycle error
// ends: never
// frames: one two more
// says: 20 threads \"more\" of process
// says: wait alike at more (deadlock-cycle-crowd.c:
// says: at one (deadlock-cycle-crowd.c:
// says: at two (deadlock-cycle-crowd.c:
#include "threads.h"

#define CROWD 20u

static pthread_mutex_t red = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t green = PTHREAD_MUTEX_INITIALIZER;
static struct meeting all_are_here;

static NOINLINE void *one(void *unused)
{
	mutex_take(&red);
	meet(&all_are_here);
	must(pthread_mutex_lock(&green) == 0);
	return unused;
}

static NOINLINE void *two(void *unused)
{
	mutex_take(&green);
	meet(&all_are_here);
	must(pthread_mutex_lock(&red) == 0);
	return unused;
}

static NOINLINE void *more(void *unused)
{
	meet(&all_are_here);
	must(pthread_mutex_lock(&red) == 0);
	return unused;
}

int main(void)
{
	meeting_init(&all_are_here, CROWD + 2);
	thread_start(one);
	thread_start(two);
	for (unsigned i = 0; i < CROWD; i++)
		thread_start(more);
	pause();
	return 0;
}
