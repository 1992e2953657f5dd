/* Memory that went out as a file descriptor (VMM) is given up while the consumer has it open: the driver keeps it till then. */
// expect: none
// note: ipc-freed-while-open
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
	vmm_free(&piece);
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_receive(peer);
	tell(peer);
	hear(peer);
	vmm_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
