/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the log contents are that are written once, by their hash. log.h has the contract. */
#include <string.h>

#include "../intercept/hook.h"
#include "log.h"

#define BLOBS 512u /* remembered contents, */
#define BLOB_PLACES 4u /* each in one of so many places */

static struct {
	uint64_t hash;
	uint64_t position;
} blob[BLOBS] LARGE;

void log_forget(void)
{
	memset(blob, 0, sizeof(blob));
}

/* Where it is kept, or would be: in one of a few places, so that two often used ones do not take turns. */
static unsigned place_of(uint64_t hash)
{
	unsigned empty = BLOB_PLACES;

	for (unsigned i = BLOB_PLACES; i-- > 0;) {
		uint64_t its = blob[(hash + i) % BLOBS].hash;

		if (its == hash)
			return (hash + i) % BLOBS;
		empty = its ? empty : i;
	}
	return (hash + empty % BLOB_PLACES) % BLOBS;
}

/* The hash is looked at before and after: another thread may be giving the place to other contents. */
uint64_t log_recall(uint64_t hash)
{
	unsigned i = place_of(hash);
	uint64_t position;

	if (__atomic_load_n(&blob[i].hash, __ATOMIC_ACQUIRE) != hash)
		return 0;
	position = __atomic_load_n(&blob[i].position, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&blob[i].hash, __ATOMIC_RELAXED) == hash ? position : 0;
}

void log_remember(uint64_t hash, uint64_t position)
{
	unsigned i = place_of(hash);

	__atomic_store_n(&blob[i].hash, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&blob[i].position, position, __ATOMIC_RELEASE);
	__atomic_store_n(&blob[i].hash, hash, __ATOMIC_RELEASE);
}
