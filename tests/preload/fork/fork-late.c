/* A manager thread starts one worker after the other, while another thread works: at the third it is a habit. */
// expect: fork-late warning
// frames: manager_main
#include "lib.h"

static struct gate stop;

static void nothing(void)
{
}

static NOINLINE void *manager_main(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++)
		must(child_run(nothing) == 0);
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
	puts("3 workers");
	return 0;
}
