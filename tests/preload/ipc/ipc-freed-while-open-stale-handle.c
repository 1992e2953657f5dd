/* A handle is opened after its memory was freed: the open fails, and somebody should hear why. */
// expect: ipc-freed-while-open error
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	legacy_free(&piece);
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	CUipcMemHandle handle;
	CUdeviceptr address;

	use_device(0);
	get(peer, &handle, sizeof(handle));
	hear(peer);
	must(cuIpcOpenMemHandle_v2(&address, handle, 1) != 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
