/* The producer of memory that went out through a handle of 64 bytes ends; its consumer works on. */
// expect: ipc-producer-exited error
// fake: cuda
// frames: producer legacy_send consumer legacy_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	tell(peer);
	hear_end(peer);
	live_on();
	legacy_close(&piece);
}

int main(void)
{
	return run_pair(producer, consumer);
}
