/*
 * Two locks in opposite orders, and each thread only tries the second one: when it is taken, the thread gives its
 * first lock back and begins anew. Both find the other lock taken for more than two seconds.
 */
// expect: none
#include "threads.h"

enum { VAIN_ROUNDS = 50, NAP_MS = 50 };

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both_have_one, both_have_tried;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	mutex_take(first);
	meet(&both_have_one);
	for (int i = 0; i < VAIN_ROUNDS; i++) {
		must(pthread_mutex_trylock(second) == EBUSY);
		sleep_ms(NAP_MS);
	}
	meet(&both_have_tried);
	mutex_give(first);
	for (;;) {
		mutex_take(first);
		if (pthread_mutex_trylock(second) == 0)
			break;
		mutex_give(first);
		sleep_ms(first == &left ? 1 : 3);
	}
	mutex_give(second);
	mutex_give(first);
}

static void *other_main(void *unused)
{
	take_both(&right, &left);
	return unused;
}

int main(void)
{
	pthread_t other;

	meeting_init(&both_have_one, 2);
	meeting_init(&both_have_tried, 2);
	other = thread_start(other_main);
	take_both(&left, &right);
	thread_join(other);
	puts("both had both");
	return 0;
}
