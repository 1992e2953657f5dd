/*
 * A descriptor goes over in a message, as in NCCL. The real driver's has no name by which its importer could tell whose
 * it is: then nothing is said of who has opened what.
 */
// expect: none
// silent: ipc-never-opened
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
	put_fd(peer, fd);
	close(fd);
	hear(peer);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_import(get_fd(peer));
	look_at(&piece);
	live_on(); /* longer than what counts as in transit */
	vmm_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
