/* Threads open and close the same memory at the same time: no close is lost, and none is left at the end. */
// expect: ipc-double-open warning
// fake: cuda
// frames: work
// not: opens_last
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
// prints: nothing
#include "cuda.h"

#define THREADS 4
#define ROUNDS 3000

static CUcontext context;
static CUipcMemHandle handle;

static void *work(void *nothing)
{
	CUdeviceptr address;
	CUresult result;

	must(cuCtxSetCurrent(context) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		result = cuIpcOpenMemHandle_v2(&address, handle, 1);
		if (result == CUDA_ERROR_ALREADY_MAPPED)
			continue; /* another thread is opening it right now */
		must(result == 0);
		must(cuIpcCloseMemHandle(address) == 0);
	}
	return nothing;
}

static NOINLINE void opens_last(void)
{
	CUdeviceptr address;

	must(cuIpcOpenMemHandle_v2(&address, handle, 1) == 0);
	must(cuIpcCloseMemHandle(address) == 0);
}

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	pthread_t thread[THREADS];

	use_device(0);
	must(cuDevicePrimaryCtxRetain(&context, 0) == 0);
	get(peer, &handle, sizeof(handle));
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		must(pthread_join(thread[i], NULL) == 0);
	opens_last();
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
