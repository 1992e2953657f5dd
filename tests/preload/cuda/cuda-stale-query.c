/* A child asks how many devices there are and is told: what its parent knew, not what the child can use. */
// expect: none
// note: cuda-stale-query
// silent: cuda-in-forked-child
// fake: cuda
// says: cudaGetDeviceCount
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

cudaError_t cudaGetDeviceCount(int *count);

static NOINLINE void child_asks(void)
{
	int count = -1;

	must(cudaGetDeviceCount(&count) == 0);
	must(count > 0);
}

int main(void)
{
	must(cudaSetDevice(0) == 0);
	must(cudaDeviceSynchronize() == 0);
	return child_run(child_asks);
}
