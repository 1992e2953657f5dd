/* The producer resets its device while a consumer has its memory open. */
// expect: ipc-freed-while-open error
// fake: cuda
// frames: producer resets
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void resets(void)
{
	must(cudaDeviceReset() == 0);
	must(cudaDeviceSynchronize() == 0);
}

static NOINLINE void producer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory;

	must(cudaMalloc(&memory, BYTES) == 0);
	must(cudaIpcGetMemHandle(&handle, memory) == 0);
	put(peer, &handle, sizeof(handle));
	hear(peer);
	resets();
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	tell(peer);
	hear(peer);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
