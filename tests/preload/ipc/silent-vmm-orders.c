/* Handles of VMM memory may be released before what they are mapped to, on both sides, and imported without a mapping. */
// expect: none
// silent: ipc-freed-while-open ipc-not-closed ipc-never-opened ipc-producer-exited ipc-self-open
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void unmap(struct piece *piece)
{
	must(cuMemUnmap(piece->address, BYTES) == 0);
	must(cuMemAddressFree(piece->address, BYTES) == 0);
}

static void producer(int peer)
{
	struct piece piece;
	CUmemGenericAllocationHandle again;

	use_device(0);
	piece = vmm_make();
	vmm_send(&piece, peer);
	vmm_send(&piece, peer);
	must(cuMemRelease(piece.handle) == 0); /* it is mapped, and lives */
	must(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)piece.address) == 0);
	look_at(&piece);
	hear(peer);
	unmap(&piece);
	must(cuMemRelease(again) == 0);
}

static void consumer(int peer)
{
	CUmemGenericAllocationHandle unused;
	struct piece piece;
	int fd;

	use_device(0);
	piece = vmm_receive(peer);
	must(cuMemRelease(piece.handle) == 0);
	look_at(&piece);
	unmap(&piece);
	fd = fetch(peer);
	must(cuMemImportFromShareableHandle(&unused, (void *)(uintptr_t)fd,
					    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0);
	close(fd);
	must(cuMemRelease(unused) == 0);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
