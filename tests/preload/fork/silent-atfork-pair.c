/*
 * The textbook cure: a prepare handler takes the lock, so that no other thread can be inside at the fork,
 * and both sides give it back. A thread uses the lock all the time.
 */
// expect: none
#include "lib.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void *user_main(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		take();
		give();
	}
	return NULL;
}

static void child_works(void)
{
	take();
	give();
	live_on();
}

static void child_works_briefly(void)
{
	take();
	give();
}

int main(void)
{
	pthread_t user;

	must(pthread_atfork(take, give, give) == 0);
	must(pthread_create(&user, NULL, user_main, NULL) == 0);
	must(child_run(child_works) == 0);
	for (int i = 0; i < 50; i++)
		must(child_run(child_works_briefly) == 0);
	atomic_store(&stop, true);
	must(pthread_join(user, NULL) == 0);
	puts("51 children had the lock");
	return 0;
}
