/* A handle of 64 bytes is asked for managed memory, which has none. */
// expect: ipc-unsupported-memory warning
// fake: cuda
// frames: main asks
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE CUresult asks(CUdeviceptr address)
{
	CUipcMemHandle handle;
	CUresult result = cuIpcGetMemHandle(&handle, address);

	return result;
}

int main(void)
{
	CUdeviceptr address;

	use_device(0);
	must(cuMemAllocManaged(&address, BYTES, CU_MEM_ATTACH_GLOBAL) == 0);
	must(cuCtxSynchronize() == 0);
	must(asks(address) != 0);
	must(cuMemFree_v2(address) == 0);
	return 0;
}
