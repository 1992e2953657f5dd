/* A parent waits for a permit, and the worker that is to post it for a command, which another worker sends in the end. */
// expect: none
// options: --hang-after=4
#include "lib.h"
#include <semaphore.h>
#include <sys/mman.h>

int main(void)
{
	sem_t *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	char command = 1;
	int end[2];

	must(sem_init(done, 1, 0) == 0 && pipe(end) == 0);
	if (fork() == 0) {
		must(read(end[0], &command, 1) == 1);
		sem_post(done);
		_exit(0);
	}
	if (fork() == 0) {
		sleep_ms(10000);
		must(write(end[1], &command, 1) == 1);
		_exit(0);
	}
	must(sem_wait(done) == 0);
	while (wait(NULL) > 0)
		;
	return 0;
}
