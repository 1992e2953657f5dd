/* --auto-export: the owner of VMM memory ends while a consumer has it open that found it in the registry. */
// expect: none
// note: ipc-producer-exited
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "registry.h"

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = vmm_make();
	announce(&piece, peer);
	hear(peer);
}

static NOINLINE void consumer(int peer)
{
	char *pointer;

	use_device(0);
	pointer = look_up(peer);
	tell(peer);
	hear_end(peer);
	live_on();
	must(!pointer || mpsan_ipc_close(pointer) == 0);
}

int main(void)
{
	return run_pair(producer, consumer);
}
