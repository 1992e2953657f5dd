/* There is no device: what fails in the parent fails in the child as well, and the fork is not to blame. */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
// fake: cuda 0
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void fails(void)
{
	int count = -1;
	void *memory;

	must(cuInit(0) != 0);
	must(cudaGetDeviceCount(&count) != 0);
	must(cudaMalloc(&memory, BYTES) != 0);
}

int main(void)
{
	fails();
	return child_run(fails);
}
