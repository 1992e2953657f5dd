/* A consumer copies what it got and exports the copy: the cure for ipc-reexported. Addresses may be used anew. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece, copy;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
	copy = legacy_receive(peer);
	legacy_close(&copy);
	tell(peer);
}

static void consumer(int peer)
{
	struct piece piece, copy;

	use_device(0);
	piece = legacy_receive(peer);
	legacy_close(&piece);
	tell(peer);
	copy = legacy_make(); /* perhaps where the other was */
	legacy_send(&copy, peer);
	hear(peer);
	legacy_free(&copy);
}

int main(void)
{
	return run_pair(producer, consumer);
}
