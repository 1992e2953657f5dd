/*
 * Readers hold the configuration for reading while they serve a request; a reload takes it for writing. One reader
 * finds the configuration stale and asks the reloader to renew it, and waits for the new version with its read lock
 * still held. The reloader waits for that reader, and all later readers wait for the reloader: writers go first here.
 */
// expect: deadlock-cycle error
// ends: never
// frames: reloader_main config_wait_newer
#include "threads.h"

enum { READERS = 3 };

static struct {
	pthread_rwlock_t lock;
	int version;
} config;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wanted, renewed;
	int wants, version;
} reload = {.lock = PTHREAD_MUTEX_INITIALIZER,
	    .wanted = PTHREAD_COND_INITIALIZER,
	    .renewed = PTHREAD_COND_INITIALIZER};

static NOINLINE void config_wait_newer(int than)
{
	mutex_take(&reload.lock);
	reload.wants++;
	must(pthread_cond_signal(&reload.wanted) == 0);
	while (reload.version <= than)
		must(pthread_cond_wait(&reload.renewed, &reload.lock) == 0);
	mutex_give(&reload.lock);
}

static NOINLINE void *reloader_main(void *unused)
{
	for (;;) {
		mutex_take(&reload.lock);
		while (reload.wants == 0)
			must(pthread_cond_wait(&reload.wanted, &reload.lock) == 0);
		reload.wants = 0;
		mutex_give(&reload.lock);

		must(pthread_rwlock_wrlock(&config.lock) == 0);
		config.version++;
		must(pthread_rwlock_unlock(&config.lock) == 0);

		mutex_take(&reload.lock);
		reload.version = config.version;
		must(pthread_cond_broadcast(&reload.renewed) == 0);
		mutex_give(&reload.lock);
	}
	return unused;
}

static void serve(bool stale)
{
	must(pthread_rwlock_rdlock(&config.lock) == 0);
	if (stale)
		config_wait_newer(config.version);
	must(pthread_rwlock_unlock(&config.lock) == 0);
}

static NOINLINE void *reader_main(void *unused)
{
	for (int request = 0;; request++) {
		serve(false);
		sleep_ms(1);
	}
	return unused;
}

int main(void)
{
	pthread_rwlockattr_t attributes;

	must(pthread_rwlockattr_init(&attributes) == 0);
	must(pthread_rwlockattr_setkind_np(&attributes,
					   PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
	must(pthread_rwlock_init(&config.lock, &attributes) == 0);
	thread_start(reloader_main);
	for (int i = 0; i < READERS; i++)
		thread_start(reader_main);
	serve(true);
	puts("served with the new configuration");
	return 0;
}
