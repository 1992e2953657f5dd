/* A consumer is killed after it closed what it got through an exported pool: nothing is lost. */
// expect: none
// fake: cuda
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

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_receive(peer);
	pool_close(&piece);
	raise(SIGKILL);
}

int main(void)
{
	return run_pair(producer, consumer);
}
