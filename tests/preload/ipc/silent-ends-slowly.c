/*
 * A consumer leaves by a bare system call with a large file to be given back: its socket is closed, and the producer frees,
 * while the kernel is still taking it down.
 */
// expect: none
// may: ipc-not-closed warning
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LARGE ((off_t)256 << 20)
#define LATER 200 /* what was opened last is closed first */

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear_end(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;
	int large = memfd_create("large", MFD_CLOEXEC);

	must(large >= 0 && posix_fallocate(large, 0, LARGE) == 0);
	must(dup2(peer, LATER) == LATER);
	close(peer);
	use_device(0);
	piece = legacy_receive(LATER);
	look_at(&piece);
	syscall(SYS_exit_group, 0);
}

int main(void)
{
	return run_pair(producer, consumer); /* waits for the producer first */
}
