/* Producer and consumer end at the same moment, in the order that the scheduler chose: a warning at most. */
// expect: none
// may: ipc-producer-exited warning
// may: ipc-not-closed warning
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	look_at(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
