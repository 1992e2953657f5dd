/*
 * Parent and child take the two semaphores of a System V set in opposite orders. Any process of the user may give them, and
 * the kernel does not say who has the set: no proof, but SEM_UNDO says that they serve as locks.
 */
// expect: hang warning
// says: System V semaphore 1 of set \d+, last changed by process \d+
// options: --hang-after 3
// within: 7
// outside: nothing: who took it
#include "lib.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static NOINLINE void change(unsigned short which, short by)
{
	struct sembuf step = {.sem_num = which, .sem_op = by, .sem_flg = SEM_UNDO};

	must(semop(set, &step, 1) == 0);
}

static NOINLINE void take_both(unsigned short first, unsigned short second, struct gate *mine,
			       struct gate *yours)
{
	change(first, -1);
	gate_open(yours);
	gate_wait(mine);
	change(second, -1);
}

int main(void)
{
	struct gate one, two;
	pid_t child;

	set = semget(0x4d000000 | getpid(), 2, IPC_CREAT | IPC_EXCL | 0600);
	change(0, 1);
	change(1, 1);
	gate_init(&one);
	gate_init(&two);
	child = fork();
	if (child == 0) {
		take_both(1, 0, &one, &two);
		_exit(0);
	}
	take_both(0, 1, &two, &one);
	waitpid(child, NULL, 0);
	semctl(set, 0, IPC_RMID);
	return 0;
}
