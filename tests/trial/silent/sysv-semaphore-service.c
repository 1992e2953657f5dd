/* A service waits for clients at a System V semaphore, until SIGTERM. */
// expect: none
// options: --hang-after 2
// stop: SIGTERM 6
#include "lib.h"
#include <sys/ipc.h>
#include <sys/sem.h>

int main(void)
{
	int set = semget(0x4d000000 | getpid(), 1, IPC_CREAT | IPC_EXCL | 0600);
	struct sembuf step = {.sem_op = -1};

	semop(set, &step, 1);
	semctl(set, 0, IPC_RMID);
	return 0;
}
