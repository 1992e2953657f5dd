/* The producer ends after the consumer closed what it got through a handle of 64 bytes, without freeing it. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	legacy_close(&piece);
	tell(peer);
	hear_end(peer);
	live_on();
}

int main(void)
{
	return run_pair(producer, consumer);
}
