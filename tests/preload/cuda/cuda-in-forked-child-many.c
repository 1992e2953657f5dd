/* Eight children of one parent make the same refused call many times: one cause, told once. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: use_device child_tries
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void child_tries(void)
{
	CUdeviceptr address;
	int i;

	for (i = 0; i < 1000; i++)
		must(cuMemAlloc_v2(&address, BYTES) == CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	int i;

	use_device(0);
	for (i = 0; i < 8; i++)
		must(child_run(child_tries) == 0);
	return 0;
}
