/*
 * A library with fork handlers, registered when it is loaded. Its prepare handler takes an error-checking mutex, which
 * the library sees as the forking thread's own if it looks later; its child handler names the mutex, which goes into the
 * child's account if the library is set up there already.
 */
#include "include/mpsan.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void prepare(void)
{
	pthread_mutex_lock(&mutex);
}

static void parent(void)
{
	pthread_mutex_unlock(&mutex);
}

static void child(void)
{
	mpsan_lock_name(&mutex, "named in a child handler");
	pthread_mutex_init(&mutex, NULL);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(prepare, parent, child);
}
