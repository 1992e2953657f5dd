/* Calls that fail change nothing: frees and closes of what is not there, handles that are none, memory of others freed. */
// expect: none
// silent: ipc-freed-while-open ipc-not-closed ipc-self-open ipc-double-open
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;
	CUdeviceptr stale;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	must(cuMemFree_v2(0) == 0); /* nothing */
	must(cuMemFree_v2(piece.address + 4096) != 0);
	must(cuIpcCloseMemHandle(piece.address) != 0);
	hear(peer);
	stale = piece.address;
	legacy_free(&piece);
	must(cuMemFree_v2(stale) != 0);
	tell(peer);
}

static void consumer(int peer)
{
	CUipcMemHandle none = {{0}};
	struct piece piece;
	CUdeviceptr address;

	use_device(0);
	piece = legacy_receive(peer);
	must(cuMemFree_v2(piece.address) != 0);
	must(cuIpcOpenMemHandle_v2(&address, none, 1) != 0);
	must(cuIpcCloseMemHandle(piece.address + 4096) != 0);
	look_at(&piece);
	address = piece.address;
	legacy_close(&piece);
	must(cuIpcCloseMemHandle(address) != 0);
	tell(peer);
	hear(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
