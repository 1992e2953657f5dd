/*
 * Two workers; the second fails at once, while the parent waits for the first.
 */
// expect: worker-failed warning
// frames: joins_first
// says: exited with status 7
#include "lib.h"

static NOINLINE int joins_first(pid_t child)
{
	return child_wait(child);
}

int main(void)
{
	pid_t first = fork(), second;

	if (first == 0) {
		sleep_ms(3000);
		_exit(0);
	}
	second = fork();
	if (second == 0)
		_exit(7);
	must(joins_first(first) == 0);
	must(child_wait(second) == 7);
	return 0;
}
