/*
 * A file on a disk had two names, and lost both before anybody waited in it. The file that has its first name now is
 * another one.
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
	wait_barrier(box);
}

static int make(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);

	must(fd >= 0);
	return fd;
}

int main(void)
{
	const char *dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char first[128], second[128];
	struct box *box;
	pid_t child;
	int fd;

	snprintf(first, sizeof(first), "%s/first-%d", dir, (int)getpid());
	snprintf(second, sizeof(second), "%s/second-%d", dir, (int)getpid());
	fd = make(first);
	box = box_make(fd);
	must(link(first, second) == 0 && unlink(first) == 0 && unlink(second) == 0);
	close(fd);
	close(make(first));
	child = fork();
	if (child == 0) {
		child_waits(box);
		_exit(0);
	}
	parent_waits(box);
	return child_wait(child);
}
