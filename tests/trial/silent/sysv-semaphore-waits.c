/* A System V semaphore that a child gives after four seconds of sleep. */
// expect: none
#include "lib.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void change(short by)
{
	struct sembuf step = {.sem_op = by};

	must(semop(set, &step, 1) == 0);
}

int main(void)
{
	pid_t child;

	set = semget(IPC_PRIVATE, 1, 0600);
	child = fork();
	if (child == 0) {
		sleep(4);
		change(1);
		_exit(0);
	}
	change(-1);
	must(waitpid(child, NULL, 0) == child);
	semctl(set, 0, IPC_RMID);
	return 0;
}
