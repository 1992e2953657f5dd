/* The fork comes first, the device in both processes afterwards. */
// expect: none
// silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void both(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	look_at(&piece);
	legacy_free(&piece);
	tell(peer);
	hear(peer);
}

int main(void)
{
	return run_pair(both, both);
}
