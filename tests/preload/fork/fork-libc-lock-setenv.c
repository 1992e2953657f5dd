// A thread is inside setenv, where it allocates with the environment lock in hand; the child sets a variable.
// expect: fork-libc-lock error
// frames: in_thread in_child
// says: environment lock, in setenv
#define PARKS_IN_MALLOC
#include "park.h"

static NOINLINE void in_thread(void)
{
	setenv("A", "1", 1);
}

static NOINLINE void in_child(void)
{
	unsetenv("B");
}

int main(void)
{
	park_in(in_thread);
	return child_hangs(in_child);
}
