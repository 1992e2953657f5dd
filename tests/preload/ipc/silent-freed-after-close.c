/* Memory goes out through a handle of 64 bytes, is read, closed, and only then freed: as it should be. */
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
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	look_at(&piece);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
