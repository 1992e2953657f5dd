/* Memory goes out through an exported pool, and nobody ever opens it. */
// expect: ipc-never-opened warning
// fake: cuda
// frames: producer pool_send
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

static void consumer(int peer)
{
	CUmemPoolPtrExportData data;

	use_device(0);
	close(get_fd(peer));
	get(peer, &data, sizeof(data));
}

int main(void)
{
	return run_pair(producer, consumer);
}
