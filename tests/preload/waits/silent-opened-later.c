/*
 * A thread waits for a named semaphore that nobody else has open yet; a program that is not watched opens it by its name
 * after 2 s, and posts it.
 */
// expect: none
#include "threads.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static char name[64];
static sem_t *semaphore;

static void *waiter_main(void *unused)
{
	must(sem_wait(semaphore) == 0);
	return unused;
}

static int post_later(const char *which)
{
	sleep_ms(2000);
	semaphore = sem_open(which, 0);
	return semaphore == SEM_FAILED || sem_post(semaphore);
}

int main(int argc, char **argv)
{
	char *const none[] = {NULL};
	pthread_t waiter;
	pid_t child;
	int status;

	if (argc > 1)
		return post_later(argv[1]);
	snprintf(name, sizeof(name), "/mpsan-opened-later-%d", (int)getpid());
	semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	must(semaphore != SEM_FAILED);
	child = fork();
	if (!child)
		execle("/proc/self/exe", "poster", name, NULL, none);
	must(pthread_create(&waiter, NULL, waiter_main, NULL) == 0);
	must(pthread_join(waiter, NULL) == 0);
	must(waitpid(child, &status, 0) == child && status == 0);
	must(sem_unlink(name) == 0);
	puts("posted");
	return 0;
}
