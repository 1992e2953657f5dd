/* The same clean hand-over through the runtime only, many pieces at once. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#define PIECES 30

static void producer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory[PIECES];
	int i;

	for (i = 0; i < PIECES; i++) {
		must(cudaMalloc(&memory[i], 4096) == 0);
		must(cudaMemset(memory[i], i, 4096) == 0);
		must(cudaDeviceSynchronize() == 0);
		must(cudaIpcGetMemHandle(&handle, memory[i]) == 0);
		put(peer, &handle, sizeof(handle));
	}
	hear(peer);
	for (i = 0; i < PIECES; i++)
		must(cudaFree(memory[i]) == 0);
}

static void consumer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory[PIECES];
	char byte;
	int i;

	for (i = 0; i < PIECES; i++) {
		get(peer, &handle, sizeof(handle));
		must(cudaIpcOpenMemHandle(&memory[i], handle, 1) == 0);
		must(cudaMemcpy(&byte, memory[i], 1, DEVICE_TO_HOST) == 0);
		must(byte == i);
	}
	for (i = 0; i < PIECES; i++)
		must(cudaIpcCloseMemHandle(memory[i]) == 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
