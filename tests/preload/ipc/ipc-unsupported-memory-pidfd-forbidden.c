/* The kernel does not let this process take a descriptor from that one, as in a container. */
// expect: ipc-unsupported-memory error
// may: ipc-never-opened warning
// frames: consumer fetch
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <linux/capability.h>
#include <sys/prctl.h>
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

static void drop_rights(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};

	must(syscall(SYS_capset, &head, none) == 0);
}

static NOINLINE void producer(int peer)
{
	struct piece piece;
	int fd;

	use_device(0);
	piece = vmm_make();
	must(prctl(PR_SET_DUMPABLE, 0) == 0);
	vmm_announce(&piece, peer, &fd);
	hear(peer);
	close(fd);
	vmm_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	use_device(0);
	drop_rights();
	must(fetch(peer) == -1 && errno == EPERM);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
