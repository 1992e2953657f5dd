/* A service waits at a semaphore in a file, which any program may map to ask it; a child of its own was the first one. */
// expect: none
// options: --hang-after 1
// stop: SIGTERM 4
#include "lib.h"
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>

int main(void)
{
	char path[64];
	sem_t *requests;
	int fd;

	snprintf(path, sizeof(path), "/tmp/mpsan-trial-requests-%u", getuid());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	must(fd >= 0 && ftruncate(fd, 4096) == 0);
	requests = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(requests != MAP_FAILED && sem_init(requests, 1, 0) == 0);
	close(fd);
	if (fork() == 0) {
		sem_post(requests);
		_exit(0);
	}
	wait(NULL);
	for (;;)
		sem_wait(requests);
}
