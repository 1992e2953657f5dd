/* A child execs, initialises the driver itself, and forks: its own initialisation is told, not that of the first program. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: second_inits grandchild_inits
// not: first_inits
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void first_inits(void)
{
	use_device(0);
	must(errno >= 0);
}

static NOINLINE void second_inits(void)
{
	use_device(0);
	must(errno >= 0);
}

static NOINLINE void grandchild_inits(void)
{
	must(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
}

int main(int count, char **words)
{
	pid_t child;

	(void)words;
	if (count > 1) {
		second_inits();
		return child_run(grandchild_inits);
	}
	first_inits();
	child = fork();
	if (child == 0) {
		execl("/proc/self/exe", "again", "child", NULL);
		_exit(3);
	}
	return child_wait(child);
}
