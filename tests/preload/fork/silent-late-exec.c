/* A thread starts programs by fork and exec, again and again, and forks once for good: no habit. */
// expect: none
#include "lib.h"

static struct gate stop;

static void run_true(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(3);
}

static void *manager_main(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++)
		must(child_run(run_true) == 0);
	must(child_run(live_on) == 0);
	return NULL;
}

static void *idle_main(void *unused)
{
	(void)unused;
	gate_wait(&stop);
	return NULL;
}

int main(void)
{
	pthread_t manager, idle;

	gate_init(&stop);
	must(pthread_create(&idle, NULL, idle_main, NULL) == 0);
	must(pthread_create(&manager, NULL, manager_main, NULL) == 0);
	must(pthread_join(manager, NULL) == 0);
	gate_open(&stop);
	must(pthread_join(idle, NULL) == 0);
	puts("5 programs, 1 worker");
	return 0;
}
