/* Memory goes out through an exported pool, is read, closed, and only then freed: as it should be. */
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
	hear(peer);
	pool_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_receive(peer);
	look_at(&piece);
	pool_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
