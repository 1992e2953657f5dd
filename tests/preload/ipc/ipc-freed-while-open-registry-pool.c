/* --auto-export: memory of a pool ends while a consumer has it open that found it in the registry. */
// expect: ipc-freed-while-open error
// frames: producer consumer look_up
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "registry.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = pool_make();
	announce(&piece, peer);
	hear(peer);
	pool_free(&piece);
	tell(peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	char *pointer;

	use_device(0);
	pointer = look_up(peer);
	tell(peer);
	hear(peer);
	must(!pointer || mpsan_ipc_close(pointer) == 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
