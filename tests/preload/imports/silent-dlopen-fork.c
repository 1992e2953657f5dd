// A thread loads a library, with the loader's lock in hand; fork makes that lock anew, so the child loads another one.
// expect: none
#define PARKS_IN_MALLOC
#include "park.h"

#include <dlfcn.h>

static void in_thread(void)
{
	dlopen("libm.so.6", RTLD_NOW);
}

static void in_child(void)
{
	must(dlopen("libresolv.so.2", RTLD_NOW) != NULL);
	live_on();
}

int main(void)
{
	park_in(in_thread);
	must(child_run(in_child) == 0);
	_exit(0);
}
