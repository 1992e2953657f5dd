/* A close that failed is no close, and a free that failed is no free: the real one comes later, too early. */
// expect: ipc-freed-while-open error
// fake: cuda
// frames: legacy_free consumer
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	must(cuMemFree_v2(piece.address + 4096) != 0);
	legacy_free(&piece);
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	must(cuIpcCloseMemHandle(piece.address + 4096) != 0);
	must(cuMemFree_v2(piece.address) != 0);
	tell(peer);
	hear(peer);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
