/*
 * Two workers; the second fails, and libc still has something to write when all destructors are through: the
 * library has told of the end by then, and the kernel has not.
 */
// expect: worker-failed warning
// frames: joins_first
// says: exited with status 7
#include "lib.h"

static ssize_t write_slowly(void *cookie, const char *data, size_t bytes)
{
	(void)cookie;
	(void)data;
	sleep_ms(1000);
	return (ssize_t)bytes;
}

static NOINLINE int joins_first(pid_t child)
{
	return child_wait(child);
}

static void fail(void)
{
	FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_slowly});

	must(stream != NULL && fputs("last words", stream) >= 0);
	exit(7);
}

int main(void)
{
	pid_t first = fork(), second;

	if (first == 0) {
		sleep_ms(4000);
		_exit(0);
	}
	second = fork();
	if (second == 0)
		fail();
	must(joins_first(first) == 0);
	must(child_wait(second) == 7);
	return 0;
}
