/* Two workers post when they are done, and one of them fails before: what it would have posted the parent does not hold. */
// expect: deadlock-cycle error
// says: what it was to send
// within: 8
#include "lib.h"
#include <semaphore.h>
#include <sys/mman.h>

int main(void)
{
	sem_t *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);

	must(done != MAP_FAILED && sem_init(done, 1, 0) == 0);
	for (int i = 0; i < 2; i++) {
		pid_t worker = fork();

		must(worker >= 0);
		if (worker == 0 && i == 1)
			_exit(1);
		if (worker == 0) {
			sem_post(done);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		sem_wait(done);
	return 0;
}
