/* the producer of memory that went out through an exported pool ends; its consumer works on. */
// expect: ipc-producer-exited error
// fake: cuda
// frames: producer pool_send consumer pool_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_make();
	pool_send(&piece, peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_receive(peer);
	tell(peer);
	hear_end(peer);
	live_on();
	pool_close(&piece);
}

int main(void)
{
	return run_pair(producer, consumer);
}
