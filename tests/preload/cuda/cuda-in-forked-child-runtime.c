/* The parent works on the device, forks, and the child wants to go on. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: parent_computes child_run child_computes
// says: cudaMalloc
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void parent_computes(void)
{
	void *memory;

	must(cudaMalloc(&memory, BYTES) == 0);
	must(cudaMemset(memory, 1, BYTES) == 0);
	must(cudaFree(memory) == 0);
}

static NOINLINE void child_computes(void)
{
	void *memory;

	must(cudaMalloc(&memory, BYTES) == cudaErrorInitializationError);
}

int main(void)
{
	parent_computes();
	return child_run(child_computes);
}
