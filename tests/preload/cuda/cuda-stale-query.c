/* A child asks which device is current and is told: what its parent knew, not what the child can use. */
// expect: none
// note: cuda-stale-query
// silent: cuda-in-forked-child
// fake: cuda
// says: cudaGetDevice
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

cudaError_t cudaGetDevice(int *device);

static NOINLINE void child_asks(void)
{
	int device = -1;

	must(cudaGetDevice(&device) == 0);
	must(device == 0);
}

int main(void)
{
	must(cudaSetDevice(0) == 0);
	must(cudaDeviceSynchronize() == 0);
	return child_run(child_asks);
}
