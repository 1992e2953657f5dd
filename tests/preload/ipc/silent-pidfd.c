/* A descriptor is taken from its owner by pidfd_getfd, as PyTorch does for expandable segments: silent. */
// expect: none
// silent: ipc-unsupported-memory
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <sys/syscall.h>

/* As PyTorch's expandable segments travel: a number goes over, and the receiver takes the descriptor itself. */
static void vmm_announce(const struct piece *piece, int peer, int *fd)
{
	int message[2] = {getpid()};

	must(cuMemExportToShareableHandle(fd, piece->handle,
					  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == 0);
	message[1] = *fd;
	put(peer, message, sizeof(message));
}

static NOINLINE int fetch(int peer)
{
	int message[2], pidfd, fd;

	get(peer, message, sizeof(message));
	pidfd = (int)syscall(SYS_pidfd_open, message[0], 0);
	must(pidfd >= 0);
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, message[1], 0);
	close(pidfd);
	return fd;
}

static NOINLINE void producer(int peer)
{
	struct piece piece;
	int fd;

	use_device(0);
	piece = vmm_make();
	vmm_announce(&piece, peer, &fd);
	hear(peer);
	close(fd);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	struct piece piece = {0};
	int fd;

	use_device(0);
	fd = fetch(peer);
	must(fd >= 0);
	must(cuMemImportFromShareableHandle(&piece.handle, (void *)(uintptr_t)fd,
					    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0);
	close(fd);
	vmm_map(&piece);
	look_at(&piece);
	vmm_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
