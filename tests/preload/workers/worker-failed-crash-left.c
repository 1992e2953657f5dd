/*
 * A worker that crashes, and that nobody waits for.
 */
// expect: worker-failed warning
// says: killed itself by signal 8
#include "lib.h"

#include <signal.h>

int main(void)
{
	if (fork() == 0)
		raise(SIGFPE);
	live_on();
	return 0;
}
