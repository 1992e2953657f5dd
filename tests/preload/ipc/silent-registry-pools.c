/* A producer makes one pool after the other, each with the descriptor of the last: all are found, opened, closed. */
// expect: none
// silent: ipc-never-opened ipc-freed-while-open
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "mpsan.h"

#define ROUNDS 20 /* more than the pools that are remembered */

static NOINLINE void read_and_close(const struct mpsan_export *found)
{
	unsigned char byte = 0;
	void *pointer;

	must(mpsan_ipc_open(found, &pointer) == 0);
	must(cuMemcpyDtoH_v2(&byte, (CUdeviceptr)(uintptr_t)pointer, 1) == 0);
	must(byte == 7);
	must(mpsan_ipc_close(pointer) == 0);
}

static void producer(int peer)
{
	struct piece piece;
	int i;

	use_device(0);
	for (i = 0; i < ROUNDS; i++) {
		piece = pool_make();
		mpsan_ipc_name((void *)(uintptr_t)piece.address, "piece");
		tell(peer);
		hear(peer);
		pool_free(&piece);
	}
}

static void consumer(int peer)
{
	struct mpsan_export found;
	int i, result;

	use_device(0);
	for (i = 0; i < ROUNDS; i++) {
		hear(peer);
		result = mpsan_ipc_find_name("piece", &found);
		if (result != -ENOSYS) {
			must(result == 0);
			read_and_close(&found);
		}
		tell(peer);
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
