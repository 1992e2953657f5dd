/* A service waits at a named semaphore, at which any program may ask it; a child of its own was the first one. */
// expect: none
// options: --hang-after 1
// stop: SIGTERM 4
#include "lib.h"
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
	char name[64];
	sem_t *requests;

	snprintf(name, sizeof(name), "/mpsan-trial-requests-%u", getuid());
	sem_unlink(name); /* of the run before */
	requests = sem_open(name, O_CREAT, 0600, 0);
	must(requests != SEM_FAILED);
	if (fork() == 0) {
		sem_post(requests);
		_exit(0);
	}
	wait(NULL);
	for (;;)
		sem_wait(requests);
}
