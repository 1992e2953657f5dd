/* a consumer ends without closing what it got through a file descriptor (VMM). */
// expect: ipc-not-closed warning
// fake: cuda
// frames: consumer vmm_receive
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	vmm_send(&piece, peer);
	hear_end(peer);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	vmm_receive(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
