/* The parent has CUDA loaded and asks for its version, but initialises nothing: the child may do as it likes. */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void child_computes(void)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	look_at(&piece);
	legacy_free(&piece);
	live_on();
}

int main(void)
{
	int version;

	must(cuDriverGetVersion(&version) == 0);
	must(version >= 11000);
	return child_run(child_computes);
}
