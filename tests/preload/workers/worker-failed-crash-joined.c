/*
 * A worker that crashes, and a parent that waits for its end without asking how it was. One that nobody waits for
 * has the same fate.
 */
// expect: worker-failed warning
// says: killed itself by signal 11
// says: got its status here, and did not check it
// frames: waits_blindly
#include "lib.h"

#include <signal.h>

static NOINLINE void waits_blindly(void)
{
	must(wait(NULL) > 0);
}

int main(void)
{
	if (fork() == 0)
		raise(SIGSEGV);
	waits_blindly();
	return 0;
}
