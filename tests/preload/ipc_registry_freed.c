/* --auto-export: memory of cudaMalloc ends while a consumer has it open that found it in the registry. */
// expect: ipc-freed-while-open error
// frames: producer consumer look_up
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "../../include/mpsan.h"

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

static NOINLINE void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	announce(&piece, peer);
	hear(peer);
	legacy_free(&piece);
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
