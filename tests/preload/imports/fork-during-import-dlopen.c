// A thread loads a library, with the loader's lock in hand; _Fork does not make that lock anew, so the child that loads
// another one hangs.
// expect: fork-during-import error
// may: fork-during-import warning
// frames: parked_main in_child
// says: libm.so.6
// ends: never
// outside: fork-libc-lock error: that it was an import
#define PARKS_IN_MALLOC
#include "park.h"

#include <dlfcn.h>

static NOINLINE void in_thread(void)
{
	dlopen("libm.so.6", RTLD_NOW);
}

static NOINLINE void in_child(void)
{
	must(dlopen("libresolv.so.2", RTLD_NOW) != NULL);
}

int main(void)
{
	pid_t child;

	park_in(in_thread);
	child = _Fork();
	if (child == 0) {
		in_child();
		_exit(0);
	}
	return child_wait(child);
}
