/* A process asks for the handle of its memory again and again, as a key, and another opens it once: silent. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	CUipcMemHandle handle, again;
	struct piece piece;
	int i;

	use_device(0);
	piece = legacy_make();
	must(cuIpcGetMemHandle(&handle, piece.address) == 0);
	for (i = 0; i < 10; i++) {
		must(cuIpcGetMemHandle(&again, piece.address) == 0);
		must(memcmp(&handle, &again, sizeof(handle)) == 0);
	}
	put(peer, &handle, sizeof(handle));
	hear(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
