/*
 * Two processes keep descriptors of the memory in which each waits for the other. A third has nothing but such a
 * descriptor, and waits at a pipe for the two: whoever could map it waits himself.
 */
// expect: deadlock-cycle error
// ends: never
// frames: parent_waits child_waits
#include "reach.h"

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
	int fd = memfd_create("reach", 0);
	struct box *box = box_make(fd);
	struct gate never;

	gate_init(&never);
	if (fork() == 0) {
		child_waits(box);
		_exit(0);
	}
	if (fork() == 0) {
		must(munmap(box, sizeof(*box)) == 0);
		gate_wait(&never);
		_exit(0);
	}
	parent_waits(box);
	return 0;
}
