/* A parent waits for a third permit, and its two workers, which have posted one each, for its next command. */
// expect: hang warning
// options: --hang-after=5
// within: 12
// outside: nothing: that it lasts for longer than --hang-after
#include "lib.h"
#include <semaphore.h>
#include <sys/mman.h>

static NOINLINE void worker_posts(sem_t *done, int commands)
{
	char command;

	sem_post(done);
	must(read(commands, &command, 1) == 1);
	sem_post(done);
	_exit(0);
}

int main(void)
{
	sem_t *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	int end[2];

	must(sem_init(done, 1, 0) == 0 && pipe(end) == 0);
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			close(end[1]);
			worker_posts(done, end[0]);
		}
	close(end[0]);
	for (int i = 0; i < 3; i++)
		must(sem_wait(done) == 0);
	return 0;
}
