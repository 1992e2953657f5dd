/* Two children of a fork have their parent's memory, as every child has: that alone says nothing of who writes to it. */
// expect: none
// silent: shm-unsynchronized
// options: --rule shm-unsynchronized=note
#include "lib.h"

#include <sys/mman.h>

int main(void)
{
	int fd = memfd_create("counter", 0), *counter;
	pid_t child[2];

	must(ftruncate(fd, 4096) == 0);
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(counter != MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			counter[i]++;
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		must(waitpid(child[i], NULL, 0) == child[i]);
	return counter[0] + counter[1] == 2 ? 0 : 1;
}
