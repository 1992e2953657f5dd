/* A process opens its own handle, as put and get on one queue do. */
// expect: ipc-self-open error
// may: ipc-never-opened warning
// fake: cuda
// frames: main opens_own
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE CUresult opens_own(CUipcMemHandle handle)
{
	CUdeviceptr address;
	CUresult result =
		cuIpcOpenMemHandle_v2(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

	return result;
}

int main(void)
{
	CUipcMemHandle handle;
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	must(cuIpcGetMemHandle(&handle, piece.address) == 0);
	must(opens_own(handle) != 0);
	legacy_free(&piece);
	return 0;
}
