/* A child has a System V semaphore that serves as a lock for five seconds of sleep. */
// expect: none
// options: --hang-after 2
#include "lib.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void change(short by)
{
	struct sembuf step = {.sem_op = by, .sem_flg = SEM_UNDO};

	must(semop(set, &step, 1) == 0);
}

int main(void)
{
	struct gate taken;
	pid_t child;

	set = semget(IPC_PRIVATE, 1, 0600);
	gate_init(&taken);
	child = fork();
	if (child == 0) {
		struct sembuf give = {.sem_op = 1};

		must(semop(set, &give, 1) == 0);
		change(-1);
		gate_open(&taken);
		sleep(5);
		change(1);
		_exit(0);
	}
	gate_wait(&taken);
	change(-1);
	must(waitpid(child, NULL, 0) == child);
	semctl(set, 0, IPC_RMID);
	return 0;
}
