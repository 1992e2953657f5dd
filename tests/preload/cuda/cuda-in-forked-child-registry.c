/* mpsan_ipc_open in a child of a process that has used CUDA: refused, as the driver would refuse it, and told so. */
// expect: cuda-in-forked-child error
// fake: cuda
// frames: child_opens
// says: mpsan_ipc_open()
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "mpsan.h"

static NOINLINE void child_opens(void)
{
	struct mpsan_export found;
	void *pointer;
	int result = mpsan_ipc_find_name("weights", &found);

	if (result == -ENOSYS)
		return;
	must(result == 0);
	must(mpsan_ipc_open(&found, &pointer) == -ECHILD);
}

int main(void)
{
	void *weights;
	int result;
	pid_t pid;

	must(cudaMalloc(&weights, BYTES) == 0);
	result = mpsan_ipc_name(weights, "weights");
	must(result == 0 || result == -ENOSYS);
	pid = fork();
	must(pid >= 0);
	if (pid == 0) {
		child_opens();
		_exit(0);
	}
	return child_wait(pid);
}
