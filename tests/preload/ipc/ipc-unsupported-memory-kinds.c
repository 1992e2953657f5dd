/* One function asks for handles of three kinds of memory that have none: each is a finding of its own. */
// expect: ipc-unsupported-memory warning
// says: managed memory has no such handle
// says: memory of a pool has no handle of 64 bytes
// says: memory of cuMemCreate has no handle of 64 bytes, and a descriptor only if one was requested
// fake: cuda
// frames: main
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

int main(void)
{
	CUipcMemHandle handle;
	CUdeviceptr managed;
	struct piece pool, vmm;

	use_device(0);
	pool = pool_make();
	vmm = vmm_make();
	must(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL) == 0);
	must(cuIpcGetMemHandle(&handle, managed) != 0);
	must(cuIpcGetMemHandle(&handle, pool.address) != 0);
	must(cuIpcGetMemHandle(&handle, vmm.address) != 0);
	must(cuMemFree_v2(managed) == 0);
	vmm_free(&vmm);
	pool_free(&pool);
	return 0;
}
