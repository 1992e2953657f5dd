/* A child only asks how many devices there are, and is refused: programs live with that. */
// expect: cuda-before-fork warning
// silent: cuda-in-forked-child
// fake: cuda
// frames: use_device child_asks
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void child_asks(void)
{
	int count;

	must(cudaGetDeviceCount(&count) == cudaErrorInitializationError);
}

int main(void)
{
	use_device(0);
	return child_run(child_asks);
}
