/*
 * Workers with many threads, which wait for work nearly all the time.
 */
// expect: none
// silent: cpu-oversubscribed too-many-workers
#include "threads.h"

static void *waits_main(void *unused)
{
	for (int i = 0; i < 60; i++)
		sleep_ms(50);
	return unused;
}

int main(void)
{
	pid_t child[3];
	pthread_t thread[16];

	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			for (int t = 0; t < 16; t++)
				thread[t] = thread_start(waits_main);
			for (int t = 0; t < 16; t++)
				thread_join(thread[t]);
			_exit(0);
		}
	}
	for (int i = 0; i < 3; i++)
		must(child_wait(child[i]) == 0);
	return 0;
}
