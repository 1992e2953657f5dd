// A library is loaded whose constructor joins a thread that loads another one.
// expect: deadlock-cycle error
// ends: never
// frames: joins_at_load probe
// says: the dynamic loader's lock
// says: join no thread in a constructor
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/preload/lib/joins_at_load.so",
		 getenv("BUILD") ?: "build");
	return !dlopen(path, RTLD_NOW);
}
