/* Producer and consumer work on two devices: nobody says that they share one. */
// expect: none
// silent: ipc-same-device ipc-no-peer-access ipc-held-long
// fake: cuda 2
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(1);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	look_at(&piece);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
