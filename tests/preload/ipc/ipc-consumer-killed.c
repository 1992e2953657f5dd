/* A consumer is killed while it has memory open that it got through a handle of 64 bytes. */
// may: worker-failed warning
// expect: ipc-consumer-killed warning
// may: worker-failed warning
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
	hear_end(peer);
	live_on();
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	legacy_receive(peer);
	raise(SIGKILL);
}

int main(void)
{
	return run_pair(producer, consumer);
}
