/* A handle of 64 bytes is asked for VMM memory, which has none. */
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
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	must(asks(piece.address) != 0);
	vmm_free(&piece);
	return 0;
}
