/* A library whose constructor joins a thread that loads another library. */
#include <dlfcn.h>
#include <pthread.h>

static void *probe(void *unused)
{
	return dlopen("libutil.so.1", RTLD_NOW) ?: unused;
}

__attribute__((constructor)) static void joins_at_load(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, probe, NULL);
	pthread_join(thread, NULL);
}
