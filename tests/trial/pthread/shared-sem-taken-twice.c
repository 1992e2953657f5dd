/* A shared semaphore of one permit serves as a lock: its process takes it twice, after a child has taken and released it. */
// expect: self-deadlock error
// within: 8
// outside: nothing: who took it
#include "lib.h"
#include <semaphore.h>
#include <sys/mman.h>

static NOINLINE void add(sem_t *lock, int again)
{
	sem_wait(lock);
	if (again)
		add(lock, 0);
	sem_post(lock);
}

int main(void)
{
	sem_t *lock = mmap(NULL, sizeof(*lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	pid_t child;

	must(lock != MAP_FAILED && sem_init(lock, 1, 1) == 0);
	child = fork();
	must(child >= 0);
	if (child == 0) {
		add(lock, 0);
		_exit(0);
	}
	must(waitpid(child, NULL, 0) == child);
	add(lock, 1);
	return 0;
}
