/* A prepare handler waits for a lock that another thread holds for a while: fork takes long, and comes back. */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate taken;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void *keeper_main_for_a_while(void *main_tid)
{
	take();
	gate_open(&taken);
	until_asleep(getpid(), *(pid_t *)main_tid);
	sleep_ms(WAIT_JUDGED_MS);
	give();
	return NULL;
}

static void child_works(void)
{
	take();
	give();
}

int main(void)
{
	static pid_t tid;
	pthread_t keeper;

	tid = gettid();
	gate_init(&taken);
	must(pthread_atfork(take, give, give) == 0);
	must(pthread_create(&keeper, NULL, keeper_main_for_a_while, &tid) == 0);
	gate_wait(&taken);
	must(child_run(child_works) == 0);
	must(pthread_join(keeper, NULL) == 0);
	puts("the fork came back");
	return 0;
}
