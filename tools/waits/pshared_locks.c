/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies process-shared locks and collects all claims on them. */
#include "pshared_locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../proc/proc.h"
#include "../proc/procmaps.h"
#include "../reader/hidepid.h"

#define BUCKETS 4096u

/* What is known of reader->shares, by index. */
struct known {
	struct pshared_key key;
	uint32_t older_at; /* previous event with the same hash of the address; FACT_NONE: none */
	uint32_t older_of; /* previous one with the same key */
};

/* A claim found in this snapshot. Most are on private locks, whose addresses no event mentions. */
struct claimed {
	struct pshared_taker taker;
	struct pshared_key key;
	bool named; /* by an event; else `key` is unset */
};

struct shared {
	const struct reader *reader;
	ARRAY(struct known) known;
	uint32_t newest_at[BUCKETS], newest_of[BUCKETS];
	ARRAY(struct claimed) claims;
	bool claims_read;
	struct procmaps *maps; /* by slot */
	bool *maps_read;
};

static uint32_t bucket(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 52);
}

static uint32_t bucket_of(const struct pshared_key *key)
{
	return bucket(key->device * 31 + key->inode * 7 + key->offset);
}

struct shared *pshared_create(const struct reader *reader)
{
	struct shared *shared = memory_get(sizeof(*shared));

	shared->reader = reader;
	memset(shared->newest_at, 0xff, sizeof(shared->newest_at));
	memset(shared->newest_of, 0xff, sizeof(shared->newest_of));
	shared->maps = memory_get(reader->session.slots * sizeof(*shared->maps));
	shared->maps_read = memory_get(reader->session.slots * sizeof(*shared->maps_read));
	return shared;
}

static void forget_maps(struct shared *shared)
{
	READER_EACH_SLOT(shared->reader, slot)
		if (shared->maps_read[slot]) {
			procmaps_free(&shared->maps[slot]);
			shared->maps_read[slot] = false;
		}
}

void pshared_destroy(struct shared *shared)
{
	if (!shared)
		return;
	forget_maps(shared);
	free(shared->known.item);
	free(shared->claims.item);
	free(shared->maps);
	free(shared->maps_read);
	free(shared);
}

bool pshared_same(const struct pshared_key *one, const struct pshared_key *other)
{
	return one->device == other->device && one->inode == other->inode &&
	       one->offset == other->offset;
}

static bool is_alive(const struct shared *shared, uint32_t slot)
{
	const struct reader *reader = shared->reader;

	return slot < reader->session.slots && reader->session.here &&
	       !reader->processes[slot].gone &&
	       !(reader->session.table[slot].flags & MPSAN_PROCESS_REPLACED);
}

/* NULL: its process has ended. */
static const struct procmaps *maps_of(struct shared *shared, uint32_t slot)
{
	uint32_t pid = is_alive(shared, slot) ? session_pid(&shared->reader->session, slot) : 0;

	if (!pid)
		return NULL;
	if (!shared->maps_read[slot])
		procmaps_read(&shared->maps[slot], pid);
	shared->maps_read[slot] = true;
	return &shared->maps[slot];
}

uint64_t pshared_address(struct shared *shared, uint32_t slot, const struct pshared_key *key)
{
	const struct procmaps *maps = maps_of(shared, slot);

	for (uint32_t i = 0; maps && i < maps->list.count; i++) {
		const struct procmap *map = &maps->list.item[i];

		if (map->device == key->device && map->inode == key->inode &&
		    key->offset >= map->offset && key->offset - map->offset < map->end - map->start)
			return map->start + (key->offset - map->offset);
	}
	return 0;
}

static bool find_mapped(struct shared *shared, uint32_t slot, uint64_t address,
			struct pshared_key *key)
{
	const struct procmaps *maps = maps_of(shared, slot);
	const struct procmap *map = maps ? procmaps_find(maps, address) : NULL;

	if (map)
		*key = (struct pshared_key){map->device, map->inode,
					    address - map->start + map->offset};
	return map;
}

/* A semaphore found by sem_open is at the beginning of its file. */
static struct pshared_key pshared_locks_key_of(struct shared *shared,
					       const struct seen_share *share)
{
	struct pshared_key key = {SHARED_UNNAMED, share->at.by, share->ev.lock};

	if (share->ev.inode)
		return (struct pshared_key){share->ev.device, share->ev.inode, share->ev.offset};
	find_mapped(shared, share->at.by, share->ev.lock, &key);
	return key;
}

static void pshared_locks_learn(struct shared *shared, uint32_t index)
{
	const struct seen_share *share = &shared->reader->shares.item[index];
	struct known known = {.key = pshared_locks_key_of(shared, share)};
	uint32_t *at = &shared->newest_at[bucket(share->ev.lock)],
		 *of = &shared->newest_of[bucket_of(&known.key)];

	known.older_at = *at;
	known.older_of = *of;
	*at = *of = index;
	*ARRAY_ADD(&shared->known) = known;
}

void pshared_begin(struct shared *shared)
{
	forget_maps(shared);
	shared->claims_read = false;
	while (shared->known.count < shared->reader->shares.count)
		pshared_locks_learn(shared, shared->known.count);
}

/* The newest event of a process about an address up to some time. */
static uint32_t newest_event(const struct shared *shared, uint32_t slot, uint64_t address,
			     uint64_t until_ns)
{
	uint32_t i = shared->newest_at[bucket(address)];

	for (; i != FACT_NONE; i = shared->known.item[i].older_at) {
		const struct seen_share *share = &shared->reader->shares.item[i];

		if (share->ev.lock == address && share->at.by == slot &&
		    share->at.time_ns <= until_ns)
			break;
	}
	return i;
}

/* A log that was full may lack the event that another lock reused an address. */
static bool lost_events(const struct shared *shared, uint32_t slot)
{
	const struct logfile *log = shared->reader->logs[slot];

	return log && logfile_head(log)->dropped;
}

/*
 * The latest event about an address; FACT_NONE if there is none, or if it says that the address was
 * freed.
 */
static uint32_t find_event(const struct shared *shared, uint32_t slot, uint64_t address)
{
	const struct reader *reader = shared->reader;
	uint64_t until_ns = UINT64_MAX;

	READER_EACH_ANCESTOR(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		uint32_t event = newest_event(shared, slot, address, until_ns);

		if (event != FACT_NONE)
			return reader->shares.item[event].gone || lost_events(shared, slot) ?
				       FACT_NONE :
				       event;
		if (!fact_how_copies(process->how))
			break;
		until_ns = process->birth_ns;
	}
	return FACT_NONE;
}

bool pshared_find(struct shared *shared, uint32_t slot, uint64_t address, struct pshared_key *key)
{
	uint32_t event = find_event(shared, slot, address);

	if (event == FACT_NONE)
		return find_mapped(shared, slot, address, key);
	*key = shared->known.item[event].key;
	return true;
}

/* Chains go back in time: the oldest event that opened it comes last. */
const struct seen_share *pshared_made(const struct shared *shared, const struct pshared_key *key)
{
	const struct seen_share *first = NULL, *made = NULL;
	uint32_t i = shared->newest_of[bucket_of(key)];

	for (; i != FACT_NONE; i = shared->known.item[i].older_of) {
		const struct seen_share *share = &shared->reader->shares.item[i];

		if (share->gone || !pshared_same(&shared->known.item[i].key, key))
			continue;
		first = share;
		if (share->ev.value != UINT64_MAX)
			made = share;
	}
	return made ? made : first;
}

uint64_t pshared_first(struct shared *shared, uint32_t slot, uint64_t address)
{
	const struct seen_share *made;
	struct pshared_key key;

	if (!pshared_find(shared, slot, address, &key))
		return UINT64_MAX;
	made = pshared_made(shared, &key);
	return made ? made->ev.value : UINT64_MAX;
}

const struct seen_share *pshared_sibling(const struct shared *shared, const struct seen_share *made,
					 int by, struct pshared_key *key)
{
	const struct seen_share *all = shared->reader->shares.item;
	uint32_t i = (uint32_t)(made - all);

	while (by) {
		i += by > 0 ? 1 : -1;
		if (i >= shared->known.count)
			return NULL;
		if (all[i].at.by == made->at.by && all[i].at.tid == made->at.tid && !all[i].gone &&
		    all[i].ev.value != UINT64_MAX)
			by += by > 0 ? -1 : 1;
	}
	*key = shared->known.item[i].key;
	return &all[i];
}

static bool can_be_shared(unsigned kind)
{
	return kind >= MPSAN_LOCK_MUTEX && kind <= MPSAN_LOCK_SEMAPHORE;
}

static void read_thread(struct shared *shared, uint32_t slot, const struct mpsan_thread *thread)
{
	uint32_t used = __atomic_load_n(&thread->holds_used, __ATOMIC_RELAXED), event;

	for (uint32_t i = 0; i < used && i < MPSAN_HOLDS; i++) {
		struct mpsan_hold hold = thread->hold[i];
		struct claimed *claimed;

		if (!can_be_shared(MPSAN_TAG_KIND(hold.tag)))
			continue;
		event = find_event(shared, slot, MPSAN_TAG_ADDRESS(hold.tag));
		claimed = ARRAY_ADD(&shared->claims);
		*claimed = (struct claimed){
			.taker = {slot, thread->tid, hold.tag, hold.caller,
				  !is_alive(shared, slot)},
			.named = event != FACT_NONE,
		};
		if (claimed->named)
			claimed->key = shared->known.item[event].key;
	}
}

static void read_log(struct shared *shared, uint32_t slot, const struct logfile *log)
{
	const uint32_t *index = (const uint32_t *)(log->map + MPSAN_THREAD_INDEX);
	struct record record;

	for (uint32_t i = 0; i < MPSAN_THREADS; i++) {
		uint32_t units = __atomic_load_n(&index[i], __ATOMIC_ACQUIRE);

		if (units && logfile_at(log, (uint64_t)units * MPSAN_UNIT, &record) &&
		    record.type == EV_thread && record.bytes >= offsetof(struct mpsan_thread, pool))
			read_thread(shared, slot, record.payload);
	}
}

static void read_claims(struct shared *shared)
{
	if (shared->claims_read)
		return;
	shared->claims.count = 0;
	READER_EACH_SLOT(shared->reader, slot)
		if (shared->reader->logs[slot])
			read_log(shared, slot, shared->reader->logs[slot]);
	shared->claims_read = true;
}

/*
 * A named semaphore is identified by events of all its users; only for others mappings must be
 * read.
 */
static bool is_on(struct shared *shared, const struct claimed *claimed,
		  const struct pshared_key *key, bool by_name)
{
	struct pshared_key found = claimed->key;

	if (!claimed->named &&
	    (by_name || !find_mapped(shared, claimed->taker.slot,
				     MPSAN_TAG_ADDRESS(claimed->taker.tag), &found)))
		return false;
	return pshared_same(&found, key);
}

void pshared_takers(struct shared *shared, const struct pshared_key *key,
		    void (*see)(const struct pshared_taker *taker, void *context), void *context)
{
	const struct seen_share *made = pshared_made(shared, key);

	read_claims(shared);
	for (uint32_t i = 0; i < shared->claims.count; i++)
		if (is_on(shared, &shared->claims.item[i], key, made && made->ev.name))
			see(&shared->claims.item[i].taker, context);
}

void pshared_claims_of(struct shared *shared, uint32_t slot,
		       void (*see)(const struct pshared_taker *taker, const struct pshared_key *key,
				   void *context),
		       void *context)
{
	read_claims(shared);
	for (uint32_t i = 0; i < shared->claims.count; i++) {
		const struct claimed *claimed = &shared->claims.item[i];

		if (claimed->taker.slot == slot && claimed->named)
			see(&claimed->taker, &claimed->key, context);
	}
}

/* Whether all claims of a process are in its log, or it never took a shared lock. */
static bool has_whole_books(const struct shared *shared, uint32_t slot)
{
	const struct mpsan_process *process = &shared->reader->session.table[slot];
	const struct logfile *log = shared->reader->logs[slot];
	const struct mpsan_log *head = log ? logfile_head(log) : NULL;

	return process->flags & MPSAN_PROCESS_ATTACHED &&
	       !(process->flags & (MPSAN_PROCESS_OFF | MPSAN_PROCESS_NO_BOOKS)) &&
	       (!head || (!head->holds_lost && !head->threads_lost && !head->dropped));
}

static bool is_watched(const struct shared *shared, uint32_t pid)
{
	READER_EACH_SLOT(shared->reader, slot)
		if (is_alive(shared, slot) && session_pid(&shared->reader->session, slot) == pid)
			return has_whole_books(shared, slot);
	return false;
}

/*
 * Searches the first process that maps it and is not watched, or is hidden and may have inherited
 * it.
 */
struct strangers {
	const struct shared *shared;
	const struct pshared_key *key;
	bool found;
};

static bool pshared_locks_is_ours(uint32_t pid, void *context)
{
	const struct shared *shared = context;

	READER_EACH_SLOT(shared->reader, slot)
		if (is_alive(shared, slot) && session_pid(&shared->reader->session, slot) == pid)
			return true;
	return false;
}

static void see_process(uint32_t pid, void *context)
{
	struct strangers *strangers = context;
	const struct pshared_key *key = strangers->key;
	int maps;

	if (strangers->found || is_watched(strangers->shared, pid))
		return;
	maps = proc_maps(pid, key->device, key->inode);
	strangers->found = maps > 0 || (maps < 0 && proc_descends(pid, pshared_locks_is_ours,
								  (void *)strangers->shared));
}

bool pshared_has_strangers(struct shared *shared, const struct pshared_key *key)
{
	struct strangers strangers = {shared, key,
				      key->device == SHARED_UNNAMED || hidepid_any(shared->reader)};

	proc_each(see_process, &strangers);
	return strangers.found;
}
