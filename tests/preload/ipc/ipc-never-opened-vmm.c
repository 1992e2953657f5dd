/* Memory goes out through a file descriptor (VMM), and nobody ever opens it. */
// expect: ipc-never-opened warning
// fake: cuda
// frames: producer vmm_send
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	vmm_send(&piece, peer);
	hear_end(peer);
	live_on();
}

static void consumer(int peer)
{
	use_device(0);
	close(fetch(peer));
}

int main(void)
{
	return run_pair(producer, consumer);
}
