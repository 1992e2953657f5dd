/* Memory goes out through a file descriptor (VMM), is read, closed, and only then freed: as it should be. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	vmm_send(&piece, peer);
	hear(peer);
	vmm_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_receive(peer);
	look_at(&piece);
	vmm_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
