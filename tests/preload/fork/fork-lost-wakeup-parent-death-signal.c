/*
 * A forked child asked for a signal at its parent's end (PR_SET_PDEATHSIG) and is parked until then, with the action that ends it
 * and with a handler that lets it go on: no error, since that signal is meant to come. The parent works longer than a wait
 * needs to be proven endless: that lapse is the case itself.
 */
// expect: fork-lost-wakeup warning
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t done;

static void go_on(int number)
{
	(void)number;
	sem_post(&done);
}

/* In between, so that the signal comes while there is somebody to wait for the end of it all. */
static void parent_of_parked(int number)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		_exit(1);
	if (fork() == 0) {
		if (number == SIGUSR1)
			signal(number, go_on);
		prctl(PR_SET_PDEATHSIG, number);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		while (sem_wait(&done) && errno == EINTR)
			;
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		_exit(1);
	usleep(900000);
	_exit(0);
}

int main(void)
{
	static const int numbers[] = {SIGTERM, SIGUSR1};
	int status;

	sem_init(&done, 0, 0);
	for (int i = 0; i < 2; i++)
		if (fork() == 0)
			parent_of_parked(numbers[i]);
	while (wait(&status) > 0)
		printf("%x\n", status);
	return 0;
}
