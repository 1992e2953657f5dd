/*
 * A worker that fails soon after its start, late in the session: both times are told, and cannot be taken for
 * each other.
 */
// expect: worker-failed warning
// says: exited with status 7 at the age of 0.
// says: s into the session)
#include "lib.h"

int main(void)
{
	pid_t first, second;

	sleep_ms(1100);
	first = fork();
	if (first == 0) {
		sleep_ms(2000);
		_exit(0);
	}
	second = fork();
	if (second == 0)
		_exit(7);
	must(child_wait(first) == 0);
	must(child_wait(second) == 7);
	return 0;
}
