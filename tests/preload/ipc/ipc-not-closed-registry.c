/* A consumer opens memory through the registry and ends without closing it: told is its line, not one of mpsan.h. */
// expect: ipc-not-closed warning
// says: opened at takes (ipc-not-closed-registry.c:
// frames: takes consumer
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include "mpsan.h"

static NOINLINE void takes(const struct mpsan_export *found)
{
	void *pointer;

	must(mpsan_ipc_open(found, &pointer) == 0);
}

static void producer(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_make();
	mpsan_ipc_name((void *)(uintptr_t)piece.address, "piece");
	tell(peer);
	hear_end(peer);
	legacy_free(&piece);
}

static NOINLINE void consumer(int peer)
{
	struct mpsan_export found;
	int result;

	use_device(0);
	hear(peer);
	result = mpsan_ipc_find_name("piece", &found);
	if (result != -ENOSYS) {
		must(result == 0);
		takes(&found);
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
