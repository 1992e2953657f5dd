/*
 * A cache with one lock for its table and one for each entry. A reader locks the entry and, since it was the last
 * to use it, the table, to drop it; the evictor walks the table and locks the entries that it meets. Other readers
 * go on with other entries until they need the table too.
 */
// expect: deadlock-cycle error
// ends: never
// frames: entry_release cache_evict evictor_main
#include "threads.h"

enum { ENTRIES = 4, READERS = 2 };

struct entry {
	pthread_mutex_t lock;
	int users, value;
	bool cached;
};

static struct {
	pthread_rwlock_t lock;
	struct entry entries[ENTRIES];
	int evicted;
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static struct meeting both_inside;

static struct entry *entry_use(int key)
{
	struct entry *entry = &cache.entries[key];

	must(pthread_rwlock_rdlock(&cache.lock) == 0);
	mutex_take(&entry->lock);
	entry->users++;
	entry->value++;
	entry->cached = true;
	mutex_give(&entry->lock);
	must(pthread_rwlock_unlock(&cache.lock) == 0);
	return entry;
}

static NOINLINE void entry_release(struct entry *entry, bool drop)
{
	mutex_take(&entry->lock);
	if (--entry->users == 0 && drop) {
		meet(&both_inside);
		must(pthread_rwlock_wrlock(&cache.lock) == 0);
		entry->cached = false;
		must(pthread_rwlock_unlock(&cache.lock) == 0);
	}
	mutex_give(&entry->lock);
}

static NOINLINE void cache_evict(void)
{
	must(pthread_rwlock_wrlock(&cache.lock) == 0);
	meet(&both_inside);
	for (int i = 0; i < ENTRIES; i++) {
		struct entry *entry = &cache.entries[i];

		mutex_take(&entry->lock);
		if (entry->users == 0 && entry->cached) {
			entry->cached = false;
			cache.evicted++;
		}
		mutex_give(&entry->lock);
	}
	must(pthread_rwlock_unlock(&cache.lock) == 0);
}

static NOINLINE void *evictor_main(void *unused)
{
	cache_evict();
	return unused;
}

static void *reader_main(void *unused)
{
	for (;;) {
		entry_release(entry_use(0), false);
		sleep_ms(1);
	}
	return unused;
}

int main(void)
{
	struct entry *entry;

	meeting_init(&both_inside, 2);
	for (int i = 0; i < ENTRIES; i++)
		must(pthread_mutex_init(&cache.entries[i].lock, NULL) == 0);
	for (int i = 0; i < READERS; i++)
		thread_start(reader_main);
	entry = entry_use(ENTRIES - 1);
	thread_start(evictor_main);
	entry_release(entry, true);
	return 0;
}
