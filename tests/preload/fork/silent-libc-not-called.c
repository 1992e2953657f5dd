// A thread is inside setenv at every fork, but the children call none of that family, exec, or are spawned.
// expect: none
#define PARKS_IN_MALLOC
#include "park.h"

#include <spawn.h>

static NOINLINE void in_thread(void)
{
	setenv("A", "1", 1);
}

static void lives_on(void)
{
	must(random() >= 0);
	live_on();
}

static void execs(void)
{
	execl("/bin/true", "true", (char *)NULL);
}

int main(void)
{
	char *argv[] = {"true", NULL};
	pid_t child;

	park_in(in_thread);
	must(child_run(lives_on) == 0);
	must(child_run(execs) == 0);
	must(posix_spawn(&child, "/bin/true", NULL, NULL, argv, NULL) == 0);
	must(child_wait(child) == 0);
	_exit(0);
}
