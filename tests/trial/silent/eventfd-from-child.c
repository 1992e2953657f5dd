/* read() of an eventfd that a child, which sleeps for four seconds, counts up. */
// expect: none
#include "lib.h"
#include <stdint.h>
#include <sys/eventfd.h>

int main(void)
{
	uint64_t count = 1;
	int ready = eventfd(0, 0);
	pid_t child = fork();

	if (child == 0) {
		sleep(4);
		_exit(write(ready, &count, sizeof(count)) != sizeof(count));
	}
	must(read(ready, &count, sizeof(count)) == sizeof(count));
	must(waitpid(child, NULL, 0) == child);
	return 0;
}
