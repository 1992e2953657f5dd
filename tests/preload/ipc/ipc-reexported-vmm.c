/* Received memory is to be handed on by descriptor, which the driver refuses, too. */
// expect: ipc-reexported error
// silent: ipc-unsupported-memory
// says: received memory cannot be exported again
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
	int fd = -1;

	use_device(0);
	piece = vmm_receive(peer);
	must(cuMemExportToShareableHandle(&fd, piece.handle,
					  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
					  0) == CUDA_ERROR_INVALID_VALUE);
	vmm_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
