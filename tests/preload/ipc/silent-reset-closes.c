/* A consumer resets its device, which closes all that it had open; then the producer frees. */
// expect: none
// silent: ipc-freed-while-open ipc-not-closed
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
	tell(peer);
}

static void consumer(int peer)
{
	cudaIpcMemHandle_t handle;
	void *memory;

	get(peer, &handle, sizeof(handle));
	must(cudaIpcOpenMemHandle(&memory, handle, 1) == 0);
	must(cudaDeviceReset() == 0);
	tell(peer);
	hear(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
