/* A forked child drops what it inherited with close() and _exit(), as CPU workers do: no CUDA call, no finding. */
// expect: none
// silent: cuda-in-forked-child ipc-not-closed ipc-producer-exited ipc-consumer-killed
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	legacy_send(&piece, peer);
	hear(peer);
	legacy_free(&piece);
}

static void cpu_child(void)
{
	raise(SIGKILL); /* with memory inherited that it neither made nor opened */
}

static void consumer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	must(child_run(cpu_child) == 128 + SIGKILL);
	legacy_close(&piece);
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
