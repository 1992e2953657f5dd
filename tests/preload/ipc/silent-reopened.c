/* One handle opened, closed, opened again: the address moves, and nothing is wrong. */
// expect: none
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
}

static void consumer(int peer)
{
	CUipcMemHandle handle;
	CUdeviceptr address;
	int i;

	use_device(0);
	get(peer, &handle, sizeof(handle));
	for (i = 0; i < 3; i++) {
		must(cuIpcOpenMemHandle_v2(&address, handle, 1) == 0);
		must(cuIpcCloseMemHandle(address) == 0);
	}
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
