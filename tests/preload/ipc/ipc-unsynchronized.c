/* A handle goes out while work on its memory is still under way. */
// expect: none
// note: ipc-unsynchronized
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory;

	must(cudaMalloc(&memory, BYTES) == 0);
	must(cudaDeviceSynchronize() == 0);
	must(cudaMemsetAsync(memory, 1, BYTES, NULL) == 0);
	must(cudaIpcGetMemHandle(&handle, memory) == 0);
	put(peer, &handle, sizeof(handle));
	hear(peer);
	must(cudaFree(memory) == 0);
}

static NOINLINE void consumer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory;

	get(peer, &handle, sizeof(handle));
	must(cudaIpcOpenMemHandle(&memory, handle, 1) == 0);
	must(cudaIpcCloseMemHandle(memory) == 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
