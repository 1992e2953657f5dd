/* What goes through without a prototype is refused in a child just the same: copies, launches, synchronisation. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: child_copies
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void *memory;

static NOINLINE void child_copies(void)
{
	char byte;

	must(cudaMemcpy(&byte, memory, 1, DEVICE_TO_HOST) == cudaErrorInitializationError);
}

int main(void)
{
	must(cudaMalloc(&memory, BYTES) == 0);
	must(child_run(child_copies) == 0);
	must(cudaFree(memory) == 0);
	return 0;
}
