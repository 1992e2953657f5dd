/*
 * Three threads and three mutexes in a circle, while a fourth thread beats on and never stops: work elsewhere
 * in the process does not open the circle. The main thread waits for a signal.
 */
// expect: deadlock-cycle error
// ends: never
// frames: red_main green_main blue_main
// not: heart_main
#include "threads.h"

static pthread_mutex_t red = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t green = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t blue = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pulse = PTHREAD_MUTEX_INITIALIZER;
static struct meeting all_have_one;
static unsigned long beats;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	mutex_take(first);
	meet(&all_have_one);
	mutex_take(second);
	mutex_give(second);
	mutex_give(first);
}

static NOINLINE void *red_main(void *unused)
{
	take_both(&red, &green);
	return unused;
}

static NOINLINE void *green_main(void *unused)
{
	take_both(&green, &blue);
	return unused;
}

static NOINLINE void *blue_main(void *unused)
{
	take_both(&blue, &red);
	return unused;
}

static NOINLINE void *heart_main(void *unused)
{
	for (;;) {
		mutex_take(&pulse);
		beats++;
		mutex_give(&pulse);
		sleep_ms(20);
	}
	return unused;
}

int main(void)
{
	meeting_init(&all_have_one, 3);
	thread_start(heart_main);
	thread_start(red_main);
	thread_start(green_main);
	thread_start(blue_main);
	for (;;)
		pause();
}
