/* mpsan_ipc_open of what is no export, or none of a living process, does not start CUDA: a child may use it. */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "mpsan.h"

int main(void)
{
	struct mpsan_export nothing = {0}, gone = {.owner = 9, .base = 4096, .bytes = 4096};
	void *pointer;
	int count;
	pid_t pid;

	must(mpsan_ipc_open(&nothing, &pointer) < 0);
	must(mpsan_ipc_open(&gone, &pointer) < 0);
	pid = fork();
	must(pid >= 0);
	if (pid == 0) {
		must(cudaGetDeviceCount(&count) == 0 && count == 1);
		exit(0);
	}
	return child_wait(pid);
}
