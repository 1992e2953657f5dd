/*
 * Two locks in opposite orders, but only under a third one: nobody ever waits in a circle. The first round
 * lasts long, the others are many.
 */
// expect: none
#include "threads.h"

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static struct gate first_is_inside;
static int rounds;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second, bool slow)
{
	mutex_take(&gate_lock);
	mutex_take(first);
	if (slow) {
		gate_open(&first_is_inside);
		sleep_ms(WAIT_LOOKED_AT_MS);
	}
	mutex_take(second);
	rounds++;
	mutex_give(second);
	mutex_give(first);
	mutex_give(&gate_lock);
}

static void *leftward_main(void *unused)
{
	for (int i = 0; i < 1000; i++)
		take_both(&right, &left, i == 0);
	return unused;
}

static void *rightward_main(void *unused)
{
	gate_wait(&first_is_inside);
	for (int i = 0; i < 1000; i++)
		take_both(&left, &right, false);
	return unused;
}

int main(void)
{
	pthread_t one, other;

	gate_init(&first_is_inside);
	one = thread_start(leftward_main);
	other = thread_start(rightward_main);
	thread_join(one);
	thread_join(other);
	printf("%d rounds\n", rounds);
	return 0;
}
