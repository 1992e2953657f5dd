/* The consumer is a program that nobody watches: whether it opened what it got, which is then freed, cannot be known. */
// expect: none
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

/* Without LD_PRELOAD, and with the libraries where they were. */
static void consumer(int peer)
{
	char libraries[4096], *environment[] = {libraries, NULL};

	snprintf(libraries, sizeof(libraries), "LD_LIBRARY_PATH=%s", getenv("LD_LIBRARY_PATH"));
	must(dup2(peer, STDIN_FILENO) == STDIN_FILENO);
	execle("/proc/self/exe", "again", "consumer", NULL, environment);
	_exit(3);
}

static void consumer_alone(int peer)
{
	struct piece piece;

	use_device(0);
	piece = legacy_receive(peer);
	look_at(&piece);
	legacy_close(&piece);
	tell(peer);
}

int main(int count, char **words)
{
	(void)words;
	if (count == 1)
		return run_pair(producer, consumer);
	consumer_alone(STDIN_FILENO);
	return 0;
}
