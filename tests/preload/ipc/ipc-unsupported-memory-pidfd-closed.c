/* The owner has closed the descriptor before the other process gets to take it. */
// expect: ipc-unsupported-memory error
// may: ipc-never-opened warning
// frames: consumer fetch
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
	close(fd);
	offer_fd(peer, fd);
	hear(peer);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	must(fetch(peer) == -1 && errno == EBADF);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
