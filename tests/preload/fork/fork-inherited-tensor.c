/* A forked child lets go of a shared tensor that it has by inheritance, and takes its name away from the parent. */
// expect: fork-inherited-tensor warning
// frames: child_lets_go
// says: which it had inherited
#include "lib.h"

#include "shm_lib.h"

static NOINLINE void child_lets_go(const char *name, void *memory)
{
	must(munmap(memory, 1 << 20) == 0);
	must(shm_unlink(name) == 0);
}

int main(void)
{
	char name[64];
	void *memory = tensor_make(name, 1 << 20, NULL, true);
	pid_t child = fork();

	if (child == 0) {
		child_lets_go(name, memory);
		_exit(0);
	}
	child_wait(child);
	return 0;
}
