/*
 * A frame is larger than what is recorded of a stack, so that its callers are missing: the limit says how much was
 * recorded, not that the stack is deep.
 */
// expect: none
// limit: only the innermost 48 KiB were recorded, so that outer frames may be missing: 1
#include "lib.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	pthread_mutex_lock(&mutex);
}

static void give(void)
{
	pthread_mutex_unlock(&mutex);
}

static NOINLINE void fork_below(void)
{
	volatile char large[100000];
	pid_t child;

	memset((char *)large, 0, sizeof(large));
	child = fork();
	if (child == 0)
		_exit(large[0]);
	must(child_wait(child) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take, .give = give};

	keeper_start(&keeper);
	fork_below();
	keeper_stop(&keeper);
	puts("done");
	return 0;
}
