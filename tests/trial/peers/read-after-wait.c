/* The parent reads the answer of a child that has crashed, through a pipe whose write end it still has open itself. */
// expect: worker-failed error
// or: deadlock-cycle error
// says: SIGFPE
// within: 6
#include "lib.h"
#include <signal.h>
#include <sys/resource.h>

static volatile int nothing;

static NOINLINE void child_divides(int out)
{
	struct rlimit none = {0, 0};
	int result;

	setrlimit(RLIMIT_CORE, &none);
	result = 7 / nothing;
	must(write(out, &result, sizeof(result)) == sizeof(result));
	_exit(0);
}

int main(void)
{
	int end[2], result;
	pid_t child;

	must(pipe(end) == 0);
	child = fork();
	if (child == 0)
		child_divides(end[1]);
	waitpid(child, NULL, 0);
	must(read(end[0], &result, sizeof(result)) == sizeof(result));
	return 0;
}
