/* A producer forks a child that lives on and ends: the memory is the producer's alone. */
// expect: none
// silent: cuda-in-forked-child ipc-producer-exited
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void cpu_child(void)
{
	exit(0); /* with the exit handlers of its parent */
}

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	must(child_run(cpu_child) == 0);
	tell(peer);
	hear(peer);
	legacy_free(&piece);
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	tell(peer);
	hear(peer);
	live_on();
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
