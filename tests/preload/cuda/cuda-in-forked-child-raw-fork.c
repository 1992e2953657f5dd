/* The fork goes by a bare system call, past the handlers of fork(): the child has the same trouble. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: use_device child_inits
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <sys/syscall.h>

static NOINLINE void child_inits(void)
{
	must(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	pid_t child;

	use_device(0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		child_inits();
		_exit(0);
	}
	return child_wait(child);
}
