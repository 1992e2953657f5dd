/* Memory is exported, opened, closed, freed; new memory comes to lie at the same address and is exported: two lives. */
// expect: none
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#define LIVES 50

static void producer(int peer)
{
	struct piece piece;
	int i;

	use_device(0);
	for (i = 0; i < LIVES; i++) {
		piece = legacy_make();
		legacy_send(&piece, peer);
		hear(peer);
		legacy_free(&piece);
	}
}

static void consumer(int peer)
{
	struct piece piece;
	int i;

	use_device(0);
	for (i = 0; i < LIVES; i++) {
		piece = legacy_receive(peer);
		look_at(&piece);
		legacy_close(&piece);
		tell(peer);
	}
}

int main(void)
{
	return run_pair(producer, consumer);
}
