/* The producer of memory that went out as a file descriptor (VMM) ends; its consumer works on, and may. */
// expect: none
// note: ipc-producer-exited
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	vmm_send(&piece, peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_receive(peer);
	tell(peer);
	hear_end(peer);
	live_on();
	vmm_close(&piece);
}

int main(void)
{
	return run_pair(producer, consumer);
}
