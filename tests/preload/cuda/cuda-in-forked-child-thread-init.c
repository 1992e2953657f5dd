/* A thread initialises the driver, and ends; the main thread forks: the child is as poisoned. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: thread_main child_inits
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void *thread_main(void *unused)
{
	use_device(0);
	return unused;
}

static NOINLINE void child_inits(void)
{
	must(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, thread_main, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
	return child_run(child_inits);
}
