/* The same by posix_spawn, and by system(). */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <spawn.h>

int main(int count, char **words)
{
	pid_t child;

	(void)words;
	use_device(0); /* the parent, and after its exec the child */
	if (count > 1) {
		live_on();
		return 0;
	}
	must(system("exit 0") == 0);
	must(posix_spawn(&child, "/proc/self/exe", NULL, NULL, (char *[]){"again", "child", NULL},
			 environ) == 0);
	return child_wait(child);
}
