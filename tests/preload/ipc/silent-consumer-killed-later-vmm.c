/* A consumer is killed after it closed what it got through a file descriptor (VMM): nothing is lost. */
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
	hear_end(peer);
	vmm_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_receive(peer);
	vmm_close(&piece);
	raise(SIGKILL);
}

int main(void)
{
	return run_pair(producer, consumer);
}
