/* A consumer makes a handle of memory that is not its own. */
// expect: ipc-reexported error
// fake: cuda
// frames: producer consumer forwards
// says: that belongs to process
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
}

static NOINLINE void forwards(CUdeviceptr address)
{
	CUipcMemHandle handle;

	cuIpcGetMemHandle(&handle, address); /* whether that fails is the driver's affair */
	must(address != 0);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	forwards(piece.address);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
