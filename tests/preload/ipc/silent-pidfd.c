/* A descriptor is taken from its owner by pidfd_getfd, as PyTorch does for expandable segments: silent. */
// expect: none
// silent: ipc-unsupported-memory
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;
	int fd;

	use_device(0);
	piece = vmm_make();
	fd = vmm_export(&piece);
	offer_fd(peer, fd);
	hear(peer);
	close(fd);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
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
