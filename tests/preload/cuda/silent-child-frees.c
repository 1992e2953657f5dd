/* A child that stays on the CPU ends with exit(), and the handlers of its parent give back what they know of the device. */
// expect: none
// silent: cuda-in-forked-child ipc-freed-while-open
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void *memory;
static struct piece piece;
static CUstream stream;

CUresult cuStreamCreate(CUstream *made, unsigned flags);
CUresult cuStreamDestroy_v2(CUstream gone);

static void at_the_end(void)
{
	cudaFree(memory); /* refused in the child: nobody looks */
	cuMemFree_v2(piece.address);
	cuStreamDestroy_v2(stream);
	cuDevicePrimaryCtxRelease_v2(0);
}

static void child_computes(void)
{
	exit(0);
}

static void producer(int peer)
{
	must(cudaMalloc(&memory, BYTES) == 0);
	piece = legacy_make();
	must(cuStreamCreate(&stream, 0) == 0);
	must(atexit(at_the_end) == 0);
	legacy_send(&piece, peer);
	hear(peer);
	must(child_run(child_computes) == 0);
	tell(peer);
	hear(peer);
}

static void consumer(int peer)
{
	struct piece own;

	use_device(0);
	own = legacy_receive(peer);
	tell(peer);
	hear(peer);
	legacy_close(&own);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
