/*
 * Two processes wait for each other in a System V segment that is removed, so that it goes with the last of them. Who is
 * told its id could attach it still; but there is nobody else.
 */
// expect: deadlock-cycle error
// ends: never
// frames: parent_waits child_waits
#include "reach.h"

#include <sys/ipc.h>
#include <sys/shm.h>

static NOINLINE void parent_waits(struct box *box)
{
	wait_semaphore(box);
}

static NOINLINE void child_waits(struct box *box)
{
	wait_condition(box);
}

int main(void)
{
	int id = shmget(IPC_PRIVATE, sizeof(struct box), 0600);
	struct box *box = shmat(id, NULL, 0);
	pid_t child;

	must(box != (void *)-1 && shmctl(id, IPC_RMID, NULL) == 0);
	box_init(box);
	child = fork();
	if (child == 0) {
		child_waits(box);
		_exit(0);
	}
	parent_waits(box);
	return child_wait(child);
}
