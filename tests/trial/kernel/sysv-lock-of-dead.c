/* A child takes a System V semaphore that serves as a lock, is killed amid its work, and did not ask for its return. */
// expect: hang warning
// says: System V semaphore 0 of set \d+, last changed by process \d+, which has ended
// says: SEM_UNDO
// options: --hang-after 3
// within: 7
// outside: nothing: who took it, and died
#include "lib.h"
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static NOINLINE void change(short by, short flags)
{
	struct sembuf step = {.sem_op = by, .sem_flg = flags};

	must(semop(set, &step, 1) == 0);
}

int main(void)
{
	pid_t child;

	set = semget(0x4d000000 | getpid(), 1, IPC_CREAT | IPC_EXCL | 0600);
	change(1, 0);
	child = fork();
	if (child == 0) {
		change(-1, 0);
		raise(SIGKILL);
	}
	waitpid(child, NULL, 0);
	change(-1, SEM_UNDO);
	semctl(set, 0, IPC_RMID);
	return 0;
}
