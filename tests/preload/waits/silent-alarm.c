/*
 * A forked child parks at a semaphore that nobody posts, with an alarm ahead that ends it after 2 s; its parent waits for
 * that.
 */
// expect: none
#include "lib.h"

#include <semaphore.h>

static sem_t never;

int main(void)
{
	int status;
	pid_t child;

	must(sem_init(&never, 0, 0) == 0);
	child = fork();
	if (!child) {
		alarm(2);
		sem_wait(&never);
		_exit(1);
	}
	must(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	printf("ended by signal %d\n", WTERMSIG(status));
	return 0;
}
