/* A launcher sets CUDA_VISIBLE_DEVICES for each child and puts it back afterwards. */
// expect: none
// fake: cuda 2
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <spawn.h>

extern char **environ;

static void launch(const char *devices)
{
	char *arguments[] = {"true", NULL};
	pid_t child;

	setenv("CUDA_VISIBLE_DEVICES", devices, 1);
	must(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0);
	unsetenv("CUDA_VISIBLE_DEVICES");
	must(child_wait(child) == 0);
}

int main(void)
{
	use_device(0);
	launch("0");
	launch("1");
	return 0;
}
