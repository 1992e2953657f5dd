/* CUDA_VISIBLE_DEVICES is set before the driver reads it, and set to the same value again. */
// expect: none
// silent: cuda-visible-devices-late
// fake: cuda 2
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

int main(void)
{
	int count;

	must(setenv("CUDA_VISIBLE_DEVICES", "1", 1) == 0);
	use_device(0);
	must(cuDeviceGetCount(&count) == 0);
	must(count == 1);
	must(setenv("CUDA_VISIBLE_DEVICES", "1", 1) == 0);
	must(setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1) == 0);
	return 0;
}
