/*
 * The main thread ends; another one of the process joins the child later. A process has ended when its last
 * thread has.
 */
// expect: none
#include "threads.h"

static pid_t child;

static void *joins_child(void *unused)
{
	sleep_ms(1200);
	must(waitpid(child, NULL, 0) == child);
	return unused;
}

int main(void)
{
	child = fork();
	must(child >= 0);
	if (child == 0) {
		sleep_ms(900);
		_exit(0);
	}
	thread_start(joins_child);
	pthread_exit(NULL);
}
