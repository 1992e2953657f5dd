/* --auto-export: a consumer finds memory of cudaMalloc by address, reads what the producer wrote, and closes: silent. */
// expect: none
// silent: ipc-never-opened ipc-same-device ipc-unsupported-memory
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "registry.h"

static void producer(int peer)
{
	struct piece piece, unused;

	use_device(0);
	piece = legacy_make();
	unused = legacy_make();
	announce(&piece, peer);
	hear(peer);
	legacy_free(&unused);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	char *pointer;

	use_device(0);
	pointer = look_up(peer);
	if (pointer) {
		read_at(pointer);
		must(mpsan_ipc_close(pointer) == 0);
	}
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
