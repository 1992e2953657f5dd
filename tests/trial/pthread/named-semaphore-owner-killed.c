/* A named semaphore of one permit serves as a lock, which a killed child has: no service waits there. */
// expect: hang warning
// or: lock-owner-killed warning
// or: lock-owner-killed error
// options: --hang-after 1
// within: 10
// outside: nothing: who took it
#include "lib.h"
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>

int main(void)
{
	char name[64];
	sem_t *lock;
	pid_t child;

	snprintf(name, sizeof(name), "/mpsan-trial-lock-%u", getuid());
	sem_unlink(name); /* of the run before */
	lock = sem_open(name, O_CREAT, 0600, 1);
	must(lock != SEM_FAILED);
	child = fork();
	if (child == 0) {
		sem_wait(lock);
		raise(SIGKILL);
	}
	must(waitpid(child, NULL, 0) == child);
	sem_wait(lock);
	return 0;
}
