/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the loader's two mutexes in _rtld_global (sysdeps/generic/ldsodefs.h: _dl_load_lock,
 * _dl_load_write_lock, adjacent and in this order since glibc 2.2). Their offset differs between
 * versions, but nothing else there looks like two mutexes. hooks/loader.c asks.
 */
#include "loader_locks.h"

#include <pthread.h>
#include <stdbool.h>

#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/thread.h"

#define DATA_WORDS 2048u /* of 4 bytes: the end of the search */
#define PIECE 64u
#define MUTEX_WORDS (sizeof(pthread_mutex_t) / 4)
#define KIND_WORD (offsetof(struct __pthread_mutex_s, __kind) / 4)
#define OWNER_WORD (offsetof(struct __pthread_mutex_s, __owner) / 4)

static bool is_recursive_mutex(const uint32_t *word)
{
	for (uint32_t i = KIND_WORD + 1; i < MUTEX_WORDS; i++)
		if (word[i])
			return false;
	return word[KIND_WORD] == PTHREAD_MUTEX_RECURSIVE;
}

/* Searches the data in pieces that overlap by a pair of mutexes, so that none is split. */
static const uint32_t *loader_search(const uint32_t *data)
{
	uint32_t piece[PIECE];

	for (uint32_t at = 0; at + PIECE <= DATA_WORDS; at += PIECE - 2 * MUTEX_WORDS) {
		if (sys_peek(piece, data + at, sizeof(piece)) != sizeof(piece))
			return NULL;
		for (uint32_t i = 0; i + 2 * MUTEX_WORDS <= PIECE; i += 2)
			if (is_recursive_mutex(piece + i) &&
			    is_recursive_mutex(piece + i + MUTEX_WORDS))
				return data + at + i;
	}
	return NULL;
}

const void *loader_lock(void)
{
	static const uint32_t *found;
	static bool looked;
	const uint32_t *data;

	if (looked) /* a page that is written at a fork is copied */
		return found;
	data = elf_is_glibc() ? elf_find_anywhere("_rtld_global") : NULL;
	found = data ? loader_search(data) : NULL;
	looked = true;
	return found;
}

const void *loader_list_lock(void)
{
	const uint32_t *first = loader_lock();

	return first ? first + MUTEX_WORDS : NULL;
}

uint32_t loader_owner(const void *lock)
{
	const uint32_t *word = lock;

	return lock && word[0] ? word[OWNER_WORD] : 0;
}

uint32_t loader_orphaned(const void *lock)
{
	uint32_t owner = life.forked ? loader_owner(lock) : 0;

	return owner && owner != thread_tid() && !thread_known(owner) &&
			       !sys_thread_alive(life.pid, owner) ?
		       owner :
		       0;
}

bool loader_claim(const struct mpsan_thread *t, struct mpsan_hold *claim)
{
	static uint64_t named;
	uint64_t back = 0, lock = (uint64_t)(uintptr_t)loader_lock();

	if (!t->loading ||
	    sys_peek(&back, (const void *)t->loading_frame, sizeof(back)) != sizeof(back) ||
	    back != t->loading_back)
		return false;
	if (named != t->loading)
		EMIT(lock_name, .lock = lock, .name = t->loading);
	named = t->loading;
	*claim = (struct mpsan_hold){MPSAN_TAG(lock, MPSAN_LOCK_IMPORT), back};
	return true;
}
