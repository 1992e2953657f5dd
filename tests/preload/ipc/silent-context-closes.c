/* A consumer ends the context in which it had memory open; then the producer frees. */
// expect: none
// silent: ipc-freed-while-open ipc-not-closed
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
	legacy_free(&piece);
	tell(peer);
}

static void consumer(int peer)
{
	CUcontext context;
	struct piece piece;

	must(cuInit(0) == 0);
	must(cuCtxCreate_v2(&context, 0, 0) == 0);
	piece = legacy_receive(peer);
	look_at(&piece);
	must(cuCtxDestroy_v2(context) == 0);
	tell(peer);
	hear(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
