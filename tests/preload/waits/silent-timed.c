/*
 * A circle of two mutexes in which each wait has a time limit. The first to give up lets the other one through.
 */
// expect: none
#include "threads.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both_have_one;

static int take_both(pthread_mutex_t *first, pthread_mutex_t *second, long limit_ms)
{
	struct timespec until;
	int result;

	mutex_take(first);
	meet(&both_have_one);
	until = realtime_in_ms(limit_ms);
	result = pthread_mutex_timedlock(second, &until);
	if (result == 0)
		mutex_give(second);
	mutex_give(first);
	return result;
}

static void *patient_main(void *unused)
{
	must(take_both(&right, &left, 20000) == 0);
	return unused;
}

int main(void)
{
	pthread_t patient;

	meeting_init(&both_have_one, 2);
	patient = thread_start(patient_main);
	must(take_both(&left, &right, WAIT_LOOKED_AT_MS) == ETIMEDOUT);
	thread_join(patient);
	puts("one gave up, the other one had both");
	return 0;
}
