/* a consumer ends without closing what it got through an exported pool. */
// expect: ipc-not-closed warning
// fake: cuda
// frames: consumer pool_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_make();
	pool_send(&piece, peer);
	hear_end(peer);
	pool_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	pool_receive(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
