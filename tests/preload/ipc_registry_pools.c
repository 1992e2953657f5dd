/* --auto-export: pools that come one after the other, whose descriptors have the same number, are not taken for one. */
// expect: none
// silent: ipc-never-opened ipc-same-device ipc-unsupported-memory
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "../../include/mpsan.h"

#define POOLS 3

/* The consumer knows the producer's pid and an address: no handle, no descriptor goes over. */
static void announce(const struct piece *piece, int peer)
{
	int pid = getpid();

	put(peer, &pid, sizeof(pid));
	put(peer, &piece->address, sizeof(piece->address));
}

/* NULL: there is no registry, as in a run without mpsan. */
static NOINLINE char *look_up(int peer)
{
	struct mpsan_export found;
	CUdeviceptr address;
	void *pointer;
	int pid, result;

	get(peer, &pid, sizeof(pid));
	get(peer, &address, sizeof(address));
	result = mpsan_ipc_find(pid, (char *)(uintptr_t)address + 5, &found);
	if (result == -ENOSYS)
		return NULL;
	must(result == 0);
	must(found.bytes >= BYTES && found.offset == 5);
	must(mpsan_ipc_open(&found, &pointer) == 0);
	return pointer;
}

static NOINLINE void read_at(const char *pointer)
{
	unsigned char byte = 0;

	must(cuMemcpyDtoH_v2(&byte, (CUdeviceptr)(uintptr_t)pointer, 1) == 0);
	must(byte == 7);
}

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	for (int i = 0; i < POOLS; i++) {
		piece = pool_make();
		announce(&piece, peer);
		hear(peer);
		pool_free(&piece);
	}
}

static void consumer(int peer)
{
	char *pointer;

	use_device(0);
	for (int i = 0; i < POOLS; i++) {
		pointer = look_up(peer);
		if (pointer) {
			read_at(pointer);
			must(mpsan_ipc_close(pointer) == 0);
		}
		tell(peer);
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
