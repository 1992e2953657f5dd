/*
 * The only descriptor of a removed file is in a message that nobody but the two who wait in that file could receive.
 */
// expect: deadlock-cycle error
// ends: never
// frames: parent_waits child_waits
#include "reach.h"

static NOINLINE void parent_waits(struct box *box)
{
	wait_barrier(box);
}

static NOINLINE void child_waits(struct box *box)
{
	wait_word(box);
}

int main(void)
{
	int fd = shm_open(own_name("flight"), O_CREAT | O_EXCL | O_RDWR, 0600), pair[2];
	struct box *box = box_make(fd);
	pid_t child;

	must(shm_unlink(own_name("flight")) == 0);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	send_descriptor(pair[0], fd);
	close(fd);
	child = fork();
	if (child == 0) {
		child_waits(box);
		_exit(0);
	}
	parent_waits(box);
	return child_wait(child);
}
