/*
 * A worker that calls abort without a word, and a parent that does not ask how it ended.
 */
// expect: worker-failed warning
// says: (SIGABRT: abort() at gives_up (worker-failed-abort.c:
// frames: gives_up waits_blindly
#include "lib.h"

static NOINLINE void gives_up(void)
{
	abort();
}

static NOINLINE void waits_blindly(void)
{
	must(wait(NULL) > 0);
}

int main(void)
{
	if (fork() == 0)
		gives_up();
	waits_blindly();
	return 0;
}
