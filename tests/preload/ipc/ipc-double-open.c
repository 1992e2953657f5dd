/* One handle opened twice without a close between, where the driver does not count: the second open fails. */
// expect: ipc-double-open error
// fake: cuda 1 OPEN_ONCE
// frames: consumer opens_again
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

static NOINLINE CUresult opens_again(CUdeviceptr *address, CUipcMemHandle handle)
{
	CUresult result =
		cuIpcOpenMemHandle_v2(address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

	return result;
}

static NOINLINE void consumer(int peer)
{
	CUipcMemHandle handle;
	CUdeviceptr first, second;

	use_device(0);
	get(peer, &handle, sizeof(handle));
	must(opens_again(&first, handle) == 0);
	must(opens_again(&second, handle) != 0);
	must(cuIpcCloseMemHandle(first) == 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
