/* A consumer leaves by a bare system call, the producer frees when it sees that, and the parent waits later than both. */
// expect: none
// may: ipc-not-closed warning
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <sys/syscall.h>

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

	use_device(0);
	piece = legacy_receive(peer);
	look_at(&piece);
	syscall(SYS_exit_group, 0);
}

int main(void)
{
	return run_pair(producer, consumer); /* waits for the producer first */
}
