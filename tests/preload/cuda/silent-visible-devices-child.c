/* A forked child of a parent with the device sets CUDA_VISIBLE_DEVICES for the program that it becomes. */
// expect: none
// silent: cuda-visible-devices-late cuda-in-forked-child
// fake: cuda 2
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

int main(int count, char **words)
{
	pid_t child;

	(void)words;
	use_device(0);
	if (count > 1)
		return 0;
	child = fork();
	if (child == 0) {
		setenv("CUDA_VISIBLE_DEVICES", "1", 1);
		execl("/proc/self/exe", "again", "child", NULL);
		_exit(3);
	}
	return child_wait(child);
}
