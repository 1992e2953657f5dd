/*
 * Claims against memory. The layouts are those of glibc's public headers (bits/struct_mutex.h,
 * bits/struct_rwlock.h); a sem_t has no public layout: its value is the low half of its first word, and the
 * word behind that tells a process-shared one (nptl/semaphoreP.h, unchanged since 2.21).
 */
#include "claim.h"

#include <pthread.h>
#include <semaphore.h>

#include "hint.h"
#include "life.h"
#include "log.h"
#include "stack.h"
#include "sys.h"

#define KIND_TYPE 3
#define KIND_ROBUST 0x10
#define KIND_PI 0x20
#define KIND_SHARED 0x80

uint32_t claim_mutex_flags(int kind)
{
	uint32_t flags = 0;

	if (kind & KIND_SHARED)
		flags |= MPSAN_LF_SHARED;
	if (kind & KIND_ROBUST)
		flags |= MPSAN_LF_ROBUST;
	if (kind & KIND_PI)
		flags |= MPSAN_LF_PI;
	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE)
		flags |= MPSAN_LF_RECURSIVE;
	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK)
		flags |= MPSAN_LF_ERRORCHECK;
	return flags;
}

static bool mutex_true(const struct __pthread_mutex_s *m, uint32_t tid, uint32_t *flags)
{
	*flags = claim_mutex_flags(m->__kind);
	return m->__lock && (uint32_t)m->__owner == tid;
}

static bool rwlock_true(const struct __pthread_rwlock_arch_t *l, bool write, uint32_t tid, uint32_t *flags)
{
	*flags = l->__shared ? MPSAN_LF_SHARED : 0;
	if (!write)
		return l->__readers >> 3 && !l->__cur_writer;
	return (uint32_t)l->__cur_writer == tid;
}

static bool semaphore_true(const uint32_t *word, const void *lock, uint64_t caller, uint32_t *flags)
{
	*flags = hint_flags(lock) & (MPSAN_LF_MUTUAL | MPSAN_LF_HANDOFF);
	if (word[2])
		*flags |= MPSAN_LF_SHARED;
	if (stack_is_python(caller))
		*flags |= MPSAN_LF_PYTHON;
	return word[0] == 0;
}

union lock_memory {
	struct __pthread_mutex_s mutex;
	struct __pthread_rwlock_arch_t rwlock;
	pthread_spinlock_t spin;
	uint32_t semaphore[4];
};

static uint32_t bytes_of(unsigned kind)
{
	switch (kind) {
	case MPSAN_LOCK_MUTEX:
		return sizeof(struct __pthread_mutex_s);
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		return sizeof(struct __pthread_rwlock_arch_t);
	case MPSAN_LOCK_SPIN:
		return sizeof(pthread_spinlock_t);
	case MPSAN_LOCK_SEMAPHORE:
		return 4 * sizeof(uint32_t);
	default:
		return 0;
	}
}

static bool memory_agrees(const union lock_memory *copy, const struct mpsan_hold *hold, uint32_t tid,
			  uint32_t *flags)
{
	unsigned kind = MPSAN_TAG_KIND(hold->tag);

	switch (kind) {
	case MPSAN_LOCK_MUTEX:
		return mutex_true(&copy->mutex, tid, flags);
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		return rwlock_true(&copy->rwlock, kind == MPSAN_LOCK_RWLOCK_WRITE, tid, flags);
	case MPSAN_LOCK_SPIN:
		return copy->spin != 1;
	default:
		return semaphore_true(copy->semaphore, (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(hold->tag),
				      hold->caller, flags);
	}
}

bool claim_is_true(const struct mpsan_hold *hold, uint32_t tid, uint32_t *flags)
{
	uint64_t address = MPSAN_TAG_ADDRESS(hold->tag);
	uint32_t bytes = bytes_of(MPSAN_TAG_KIND(hold->tag));
	union lock_memory copy;
	bool agrees;

	*flags = 0;
	if ((hold->tag & MPSAN_TAG_WANTED) || !address)
		return false;
	if (MPSAN_TAG_KIND(hold->tag) == MPSAN_LOCK_CUSTOM)
		return true;
	if (!bytes || sys_peek(&copy, (const void *)(uintptr_t)address, bytes) != (long)bytes) {
		log_count(claims_unread);
		return false;
	}
	agrees = memory_agrees(&copy, hold, tid, flags);
	*flags |= MPSAN_LF_VERIFIED;
	if (stack_in_module(address, NULL))
		*flags |= MPSAN_LF_STATIC;
	return agrees;
}
