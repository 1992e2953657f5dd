/*
 * The only writer of a pipe crashes and is reaped; the reader has the write end open itself. The signal is named.
 */
// expect: deadlock-cycle error
// ends: never
// says: was killed by signal 6 (SIGABRT: abort() at fail (deadlock-cycle-sender-crashed.c:
// says: the reader itself still has the pipe's write end open
// frames: read_answer
#include "lib.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

static NOINLINE void fail(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	abort();
}

static NOINLINE void read_answer(int from)
{
	int answer;

	must(read(from, &answer, sizeof(answer)) == sizeof(answer));
}

int main(void)
{
	int end[2];
	pid_t child;

	must(pipe(end) == 0);
	child = fork();
	if (child == 0)
		fail();
	must(waitpid(child, NULL, 0) == child);
	read_answer(end[0]);
	return 0;
}
