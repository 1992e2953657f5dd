/* A child makes shared memory under a name and is killed: nobody removes the name. */
// expect: shm-leaked error
// frames: child_makes
// says: (3 MiB) still exists
#include "lib.h"

#include <fcntl.h>
#include <signal.h>

#define NAME own_name("leaked")

static struct gate made;

static NOINLINE void child_makes(void)
{
	int fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);

	must(fd >= 0);
	must(ftruncate(fd, 3 << 20) == 0);
	must(mmap(NULL, 3 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	gate_open(&made);
	pause();
}

int main(void)
{
	pid_t child;

	shm_unlink(NAME);
	gate_init(&made);
	child = fork();
	if (child == 0)
		child_makes();
	gate_wait(&made);
	must(kill(child, SIGKILL) == 0);
	child_wait(child);
	return 0;
}
