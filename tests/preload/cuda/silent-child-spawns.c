/* A forked child of a parent with the device stays away from it, and starts a program that uses it. */
// expect: none
// silent: cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <spawn.h>

static void child_spawns(void)
{
	pid_t grandchild;

	must(posix_spawn(&grandchild, "/proc/self/exe", NULL, NULL,
			 (char *[]){"again", "child", NULL}, environ) == 0);
	must(child_wait(grandchild) == 0);
}

int main(int count, char **words)
{
	struct piece piece;

	(void)words;
	use_device(0);
	piece = legacy_make();
	look_at(&piece);
	legacy_free(&piece);
	return count > 1 ? 0 : child_run(child_spawns);
}
