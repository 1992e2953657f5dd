/* Memory goes out through a handle of 64 bytes, and nobody ever opens it. */
// expect: ipc-never-opened warning
// fake: cuda
// frames: producer legacy_send
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear_end(peer);
	live_on();
}

static void consumer(int peer)
{
	CUipcMemHandle handle;

	use_device(0);
	get(peer, &handle, sizeof(handle));
}

int main(void)
{
	return run_pair(producer, consumer);
}
