/*
 * A worker whose assertion fails, and a parent that waits for its end without asking how it was.
 */
// expect: worker-failed warning
// says: (SIGABRT: Assertion `items > 0' failed at takes_one (worker-failed-assertion.c:
// frames: takes_one waits_blindly
#include "lib.h"

#include <assert.h>

static NOINLINE void takes_one(int items)
{
	assert(items > 0);
}

static NOINLINE void waits_blindly(void)
{
	must(wait(NULL) > 0);
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (fork() == 0)
		takes_one(count - 1);
	waits_blindly();
	return 0;
}
