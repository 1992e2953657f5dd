/* Eight threads open and close the same two pieces through the registry, all at once: each close is noted. */
// expect: none
// may: cpu-oversubscribed warning
// silent: ipc-not-closed ipc-double-open ipc-freed-while-open
// options: --auto-export
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
// prints: nothing
#include "cuda.h"

#include "mpsan.h"

#define THREADS 8
#define ROUNDS 400

static struct mpsan_export found[2];

static void *works(void *number)
{
	void *pointer;
	int i;

	use_device(0);
	for (i = (int)(intptr_t)number; i < ROUNDS; i++) {
		must(mpsan_ipc_open(&found[i % 2], &pointer) == 0);
		must(mpsan_ipc_close(pointer) == 0);
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];
	intptr_t i;

	for (i = 0; i < THREADS; i++)
		must(pthread_create(&threads[i], NULL, works, (void *)i) == 0);
	for (i = 0; i < THREADS; i++)
		must(pthread_join(threads[i], NULL) == 0);
}

static void producer(int peer)
{
	struct piece one, two;

	use_device(0);
	one = legacy_make();
	two = legacy_make();
	mpsan_ipc_name((void *)(uintptr_t)one.address, "one");
	mpsan_ipc_name((void *)(uintptr_t)two.address, "two");
	tell(peer);
	hear(peer);
	legacy_free(&two);
	legacy_free(&one);
}

static void consumer(int peer)
{
	int result;

	hear(peer);
	result = mpsan_ipc_find_name("one", &found[0]);
	if (result != -ENOSYS) {
		must(result == 0);
		must(mpsan_ipc_find_name("two", &found[1]) == 0);
		in_threads();
	}
	tell(peer);
}

int main(void)
{
	return run_pair(producer, consumer);
}
