/*
 * A consumer leaves by a bare system call, the producer frees, and their parent asks for the consumer's end only half a second
 * later: an end that is known late says nothing about the time before.
 */
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
	int ends[2];
	pid_t one, two;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	one = run_side(producer, ends[0], ends[1]);
	two = run_side(consumer, ends[1], ends[0]);
	close(ends[0]);
	close(ends[1]);
	child_wait(one);
	usleep(500000); /* time is what is tested: the end is known that much later */
	child_wait(two);
	return 0;
}
