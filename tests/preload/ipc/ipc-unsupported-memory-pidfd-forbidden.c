/* The kernel does not let this process take a descriptor from that one, as in a container. */
// expect: ipc-unsupported-memory error
// may: ipc-never-opened warning
// frames: consumer fetch
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <linux/capability.h>

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
	fd = vmm_export(&piece);
	offer_fd(peer, fd);
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
