/* A consumer is killed while it has memory open that it got through an exported pool. */
// may: worker-failed warning
// expect: ipc-consumer-killed warning
// may: worker-failed warning
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
	hear_end(peer);
	live_on();
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	pool_receive(peer);
	raise(SIGKILL);
}

int main(void)
{
	return run_pair(producer, consumer);
}
