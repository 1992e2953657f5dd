/*
 * VMM pieces come and go under two names while another process opens what it found: it gets the very piece, or is told
 * that it is gone, and nothing is wrong with the kind of memory.
 */
// expect: none
// silent: ipc-unsupported-memory
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <sched.h>
#include <stdatomic.h>

#include "mpsan.h"

#define FOUND 100

static atomic_bool ended; /* a driver that is shut down refuses what its threads still call */

static void *comes_and_goes(void *number)
{
	unsigned char byte = (unsigned char)(intptr_t)number;
	const char name[2] = {(char)byte, '\0'};
	struct piece piece;

	use_device(0);
	while (!ended) {
		piece = vmm_make();
		must(cuMemsetD8_v2(piece.address, byte, BYTES) == 0);
		must(cuCtxSynchronize() == 0);
		mpsan_ipc_name((void *)(uintptr_t)piece.address, name);
		sched_yield();
		vmm_free(&piece);
	}
	return NULL;
}

static void producer(int peer)
{
	pthread_t threads[2];

	must(pthread_create(&threads[0], NULL, comes_and_goes, (void *)(intptr_t)'a') == 0);
	must(pthread_create(&threads[1], NULL, comes_and_goes, (void *)(intptr_t)'b') == 0);
	hear_end(peer);
	ended = true;
	for (int i = 0; i < 2; i++)
		must(pthread_join(threads[i], NULL) == 0);
}

static void looks(const struct mpsan_export *found, unsigned char want)
{
	unsigned char byte = 0;
	void *pointer;

	if (mpsan_ipc_open(found, &pointer))
		return; /* it is gone */
	must(cuMemcpyDtoH_v2(&byte, (CUdeviceptr)(uintptr_t)pointer, 1) == 0);
	must(byte == want);
	must(mpsan_ipc_close(pointer) == 0);
}

static void consumer(int peer)
{
	struct mpsan_export found;
	int i = 0, result = 0;

	(void)peer;
	use_device(0);
	while (i < FOUND && result != -ENOSYS) {
		result = mpsan_ipc_find_name(i % 2 ? "a" : "b", &found);
		if (!result)
			looks(&found, i % 2 ? 'a' : 'b');
		i += !result;
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
