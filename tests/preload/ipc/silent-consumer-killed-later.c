/* A consumer is killed after it closed what it got through a handle of 64 bytes: nothing is lost. */
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
	hear_end(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	legacy_close(&piece);
	raise(SIGKILL);
}

int main(void)
{
	return run_pair(producer, consumer);
}
