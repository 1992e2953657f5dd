/*
 * A worker that survives its aborts, as a runner of tests does, and prints what others print before they end.
 */
// expect: none
// silent: worker-failed
#include "lib.h"

#include <assert.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf before;

static void on_abort(int number)
{
	(void)number;
	siglongjmp(before, 1);
}

static NOINLINE void takes_one(int items)
{
	assert(items > 0);
}

static NOINLINE void tests(int items)
{
	must(signal(SIGABRT, on_abort) != SIG_ERR);
	for (volatile int i = 0; i < 40; i++)
		if (!sigsetjmp(before, 1)) {
			if (i % 2)
				takes_one(items);
			abort();
		}
	fputs("terminate called after throwing an instance of 'std::runtime_error'\n", stderr);
	fputs("thread 'main' panicked at src/main.rs:3:5:\nnothing\n", stderr);
	_exit(0);
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (fork() == 0)
		tests(count - 1);
	must(wait(NULL) > 0);
	return 0;
}
