/* A library keeps a pool of threads; used in the parent, then in a forked child. */
// expect: fork-thread-pool error
// ends: never
// frames: pool_run child_submits
// says: thread pool of pool.so: its 3 thread(s)
#include "lib.h"

#include <dlfcn.h>

static void (*pool_run)(int);

static NOINLINE void child_submits(void)
{
	pool_run(3);
}

/* It lies in a directory beside that of this program. */
static void *open_pool(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
	char *slash;

	must(length > 0);
	path[length] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash, "/../lib/pool.so");
	return dlopen(path, RTLD_NOW);
}

int main(void)
{
	void *pool = open_pool();

	must(pool != NULL);
	pool_run = (void (*)(int))dlsym(pool, "pool_run");
	must(pool_run != NULL);
	pool_run(10);
	return child_run(child_submits);
}
