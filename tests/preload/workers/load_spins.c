/* Spins in more than twice as many threads as there are processors, until it has had 2.5 seconds of each. */
#include "threads.h"

static int processors;

static void *spins_main(void *unused)
{
	spin_until_had(25 * processors);
	return unused;
}

int main(void)
{
	processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < 2 * processors + 1; i++)
		thread_start(spins_main);
	spins_main(NULL);
	return 0;
}
