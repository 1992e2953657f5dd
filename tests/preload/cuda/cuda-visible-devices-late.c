/* CUDA_VISIBLE_DEVICES is changed when the driver has read it already. */
// expect: cuda-visible-devices-late warning
// fake: cuda 2
// frames: use_device chooses_late
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void chooses_late(void)
{
	must(setenv("CUDA_VISIBLE_DEVICES", "1", 1) == 0);
}

int main(void)
{
	int count;

	use_device(0);
	chooses_late();
	must(cuDeviceGetCount(&count) == 0);
	must(count == 2);
	return 0;
}
