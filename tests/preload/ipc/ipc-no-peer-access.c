/* Memory of a device that the consumer's device cannot reach. */
// expect: ipc-no-peer-access warning
// fake: cuda 2 PEERS=0
// frames: consumer opens
// may: ipc-never-opened warning
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(1);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
}

static NOINLINE CUresult opens(CUipcMemHandle handle)
{
	CUdeviceptr address;
	CUresult result =
		cuIpcOpenMemHandle_v2(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

	return result;
}

static NOINLINE void consumer(int peer)
{
	CUipcMemHandle handle;

	use_device(0);
	get(peer, &handle, sizeof(handle));
	must(opens(handle) != 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
