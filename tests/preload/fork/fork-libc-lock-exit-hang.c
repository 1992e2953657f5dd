// As fork-libc-lock-exit, in a job that nobody ends: the parent waits for its child (ultralytics/ultralytics#26085).
// expect: fork-libc-lock error
// ends: never
// frames: in_thread in_child
// says: exit-handler list, in __cxa_atexit
#define PARKS_IN_MALLOC
#include "park.h"

static void nothing(void)
{
}

static NOINLINE void in_thread(void)
{
	for (int i = 0; i < 100; i++)
		atexit(nothing);
}

static NOINLINE void in_child(void)
{
	exit(0);
}

int main(void)
{
	park_in(in_thread);
	return child_run(in_child);
}
