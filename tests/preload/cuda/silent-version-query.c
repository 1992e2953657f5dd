/* Versions hold for every process: a child may ask for them. */
// expect: none
// silent: cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);

static void child_asks(void)
{
	int version;

	must(cuDriverGetVersion(&version) == 0);
	must(cudaRuntimeGetVersion(&version) == 0);
	must(cudaGetErrorString(cudaErrorInvalidValue) != NULL);
	cudaGetLastError();
}

int main(void)
{
	use_device(0);
	return child_run(child_asks);
}
