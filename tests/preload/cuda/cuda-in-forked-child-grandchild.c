/* The driver was initialised two forks ago, and only the grandchild calls it. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: use_device grandchild_inits
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void grandchild_inits(void)
{
	must(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
}

static NOINLINE void child_forks(void)
{
	must(child_run(grandchild_inits) == 0);
}

int main(void)
{
	use_device(0);
	return child_run(child_forks);
}
