/*
 * Processes that are left running and mean it: one in a session of its own, one made by daemon(), one behind a
 * process that ends at once, one that another program took over; and one that ends soon after its parent.
 */
// expect: none
// silent: child-not-joined parent-lost
#include "lib.h"

static void works_on(void)
{
	close(1);
	sleep_ms(900);
	_exit(0);
}

int main(void)
{
	if (fork() == 0) {
		must(setsid() > 0);
		works_on();
	}
	if (fork() == 0) {
		must(daemon(1, 1) == 0);
		works_on();
	}
	if (fork() == 0) {
		if (fork() == 0)
			works_on();
		_exit(0);
	}
	if (fork() == 0) {
		close(1);
		execl("/bin/sleep", "sleep", "0.9", NULL);
		_exit(127);
	}
	if (fork() == 0) {
		sleep_ms(400);
		_exit(0);
	}
	sleep_ms(300);
	return 0;
}
