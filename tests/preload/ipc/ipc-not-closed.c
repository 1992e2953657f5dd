/* A consumer ends without closing what it got through a handle of 64 bytes. */
// expect: ipc-not-closed warning
// fake: cuda
// frames: consumer legacy_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear_end(peer);
	legacy_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	legacy_receive(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
