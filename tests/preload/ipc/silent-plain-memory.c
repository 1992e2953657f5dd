/* Managed, pool and VMM memory that stays at home: nothing to say. */
// expect: none
// silent: ipc-unsupported-memory ipc-never-opened
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

int main(void)
{
	CUdeviceptr managed, async;
	struct piece device, piece, pool;

	use_device(0);
	device = legacy_make();
	piece = vmm_make();
	pool = pool_make();
	must(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL) == 0);
	must(cuMemAllocAsync(&async, BYTES, NULL) == 0);
	must(cuMemFreeAsync(async, NULL) == 0);
	must(cuMemFree_v2(managed) == 0);
	pool_free(&pool);
	vmm_free(&piece);
	legacy_free(&device);
	return 0;
}
