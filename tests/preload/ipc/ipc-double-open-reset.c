/* Memory that was opened twice ends with the context, both times. */
// expect: ipc-double-open warning
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
	void *first, *second;

	get(peer, &handle, sizeof(handle));
	must(cudaIpcOpenMemHandle(&first, handle, 1) == 0);
	must(cudaIpcOpenMemHandle(&second, handle, 1) == 0);
	must(cudaDeviceReset() == 0);
	tell(peer);
	hear(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
