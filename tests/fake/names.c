/*
 * Every name that a driver exports. Those without a body elsewhere answer that they are not supported; a name is looked up with
 * a version and flags, and the answer is what the real driver's documentation says.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER(symbol, name, version)                                 \
	int symbol(void);                                             \
	__attribute__((weak, visibility("default"))) int symbol(void) \
	{                                                             \
		return driver_unsupported();                          \
	}
#define THREAD DRIVER

int driver_unsupported(void);

#include "driver_names.def"
#include "driver_names_more.def"

#undef DRIVER
#undef THREAD

enum { VERSION = 13000, PER_THREAD = 2, FOUND = 0, NOT_FOUND = 1, TOO_OLD = 2 };

struct entry {
	const char *name;
	void *symbol;
	int version, per_thread;
};

static struct entry entries[] = {
#define DRIVER(symbol, name, version) {#name, (void *)symbol, version, 0},
#define THREAD(symbol, name, version) {#name, (void *)symbol, version, 1},
#include "driver_names.def"
#include "driver_names_more.def"
#undef DRIVER
#undef THREAD
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

__attribute__((constructor)) static void sort_entries(void)
{
	qsort(entries, ENTRIES, sizeof(*entries), by_name);
}

static const struct entry *first_entry(const char *name)
{
	struct entry key = {.name = name};
	const struct entry *entry = bsearch(&key, entries, ENTRIES, sizeof(*entries), by_name);

	while (entry && entry > entries && strcmp(entry[-1].name, name) == 0)
		entry--;
	return entry;
}

/* The newest entry that the caller knows; one for each thread's stream wins where that was asked for. */
static const struct entry *best_entry(const struct entry *entry, int version, int per_thread)
{
	const struct entry *best = NULL;
	const char *name = entry->name;

	for (; entry < entries + ENTRIES && strcmp(entry->name, name) == 0; entry++) {
		if (entry->version > version || entry->per_thread > per_thread)
			continue;
		if (!best || entry->per_thread > best->per_thread ||
		    (entry->per_thread == best->per_thread && entry->version > best->version))
			best = entry;
	}
	return best;
}

int names_look_up(const char *name, void **f, int version, uint64_t flags, int *status);
int names_look_up(const char *name, void **f, int version, uint64_t flags, int *status)
{
	const struct entry *first, *best;

	if (!name || !f || version > VERSION || flags > PER_THREAD)
		return 1;
	*f = NULL;
	first = first_entry(name);
	best = first ? best_entry(first, version, flags == PER_THREAD) : NULL;
	if (best)
		*f = best->symbol;
	if (status)
		*status = best ? FOUND : first ? TOO_OLD : NOT_FOUND;
	return 0;
}
