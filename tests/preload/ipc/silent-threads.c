/* Eight threads of one process export and free, eight of another open and close, all at once. */
// expect: none
// may: cpu-oversubscribed warning
// silent: ipc-freed-while-open ipc-not-closed ipc-double-open ipc-never-opened
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
// prints: nothing
#include "cuda.h"

#define THREADS 8
#define ROUNDS 100

static int lines[THREADS][2];

static void *produces(void *number)
{
	int peer = lines[(intptr_t)number][0], i;
	struct piece piece;

	use_device(0);
	for (i = 0; i < ROUNDS; i++) {
		piece = legacy_make();
		legacy_send(&piece, peer);
		hear(peer);
		legacy_free(&piece);
	}
	return NULL;
}

static void *consumes(void *number)
{
	int peer = lines[(intptr_t)number][1], i;
	struct piece piece;

	use_device(0);
	for (i = 0; i < ROUNDS; i++) {
		piece = legacy_receive(peer);
		look_at(&piece);
		legacy_close(&piece);
		tell(peer);
	}
	return NULL;
}

static void in_threads(void *(*work)(void *))
{
	pthread_t threads[THREADS];
	intptr_t i;

	for (i = 0; i < THREADS; i++)
		must(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
	for (i = 0; i < THREADS; i++)
		must(pthread_join(threads[i], NULL) == 0);
}

static void producer(int peer)
{
	(void)peer;
	in_threads(produces);
}

static void consumer(int peer)
{
	(void)peer;
	in_threads(consumes);
}

int main(void)
{
	int i;

	for (i = 0; i < THREADS; i++)
		must(socketpair(AF_UNIX, SOCK_STREAM, 0, lines[i]) == 0);
	return run_pair(producer, consumer);
}
