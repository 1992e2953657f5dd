/* Memory that went out through an exported pool ends in its producer while the consumer has it open. */
// expect: ipc-freed-while-open error
// fake: cuda
// frames: producer pool_free consumer pool_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_make();
	pool_send(&piece, peer);
	hear(peer);
	pool_free(&piece);
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_receive(peer);
	tell(peer);
	hear(peer);
	pool_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
