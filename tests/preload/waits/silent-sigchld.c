/*
 * A server whose threads all wait for a semaphore or for each other. The end of a child, which sleeps first, brings
 * SIGCHLD, and its handler posts.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>
#include <signal.h>

static sem_t child_ended;
static pid_t child;
static int status = -1;

static void on_child(int number)
{
	(void)number;
	must(sem_post(&child_ended) == 0);
}

static void *reaper_main(void *unused)
{
	while (sem_wait(&child_ended) != 0)
		must(errno == EINTR);
	must(waitpid(child, &status, WNOHANG) == child);
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

	must(sem_init(&child_ended, 0, 0) == 0);
	must(sigaction(SIGCHLD, &action, NULL) == 0);
	child = fork();
	if (child == 0) {
		sleep_ms(WAIT_LOOKED_AT_MS);
		_exit(0);
	}
	must(child > 0);
	thread_join(thread_start(reaper_main));
	printf("the child ended with %d\n", WEXITSTATUS(status));
	return 0;
}
