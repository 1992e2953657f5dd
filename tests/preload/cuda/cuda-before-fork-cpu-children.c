/* The parent has the device, its children compute on the CPU: worth a note at most. */
// expect: none
// note: cuda-before-fork
// silent: cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void child_computes(void)
{
	live_on();
}

int main(void)
{
	use_device(0);
	return child_run(child_computes);
}
