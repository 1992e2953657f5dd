/* Training without locks: a forked child writes to shared tensors that it has by inheritance, and ends. */
// expect: none
// silent: fork-inherited-tensor shm-leaked
#include "lib.h"

#include "shm_lib.h"

int main(void)
{
	char name[64];
	int *memory = tensor_make(name, 1 << 20, NULL, true);
	pid_t child = fork();

	if (child == 0) {
		memory[0] = 1;
		_exit(0);
	}
	child_wait(child);
	must(memory[0] == 1 && shm_unlink(name) == 0);
	return 0;
}
