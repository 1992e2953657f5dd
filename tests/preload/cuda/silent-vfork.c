/* The same by vfork. */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

int main(int count, char **words)
{
	pid_t child;

	(void)words;
	use_device(0); /* the parent, and after its exec the child */
	if (count > 1) {
		live_on();
		return 0;
	}
	child = vfork();
	if (child == 0) {
		execl("/proc/self/exe", "again", "child", NULL);
		_exit(3);
	}
	return child_wait(child);
}
