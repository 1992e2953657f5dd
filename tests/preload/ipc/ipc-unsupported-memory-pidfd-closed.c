/* The owner has closed the descriptor before the other process gets to take it. */
// expect: ipc-unsupported-memory error
// may: ipc-never-opened warning
// frames: consumer fetch
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
	hear(peer);
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
	close(fd);
	tell(peer);
	hear(peer);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	must(fetch(peer) == -1 && errno == EBADF);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
