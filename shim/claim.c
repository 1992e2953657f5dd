/*
 * Claims against memory. The layouts are those of glibc's public headers (bits/struct_mutex.h,
 * bits/struct_rwlock.h); a sem_t has no public layout: its value is the low half of its first word, and the
 * word behind that tells a process-shared one (nptl/semaphoreP.h, unchanged since 2.21).
 */
#include "claim.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/uio.h>

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

static bool mutex_true(const struct __pthread_mutex_s *m, struct claim *c)
{
	c->flags |= claim_mutex_flags(m->__kind);
	return m->__lock && (uint32_t)m->__owner == c->tid;
}

static bool rwlock_true(const struct __pthread_rwlock_arch_t *l, struct claim *c)
{
	c->flags |= l->__shared ? MPSAN_LF_SHARED : 0;
	if (MPSAN_TAG_KIND(c->tag) == MPSAN_LOCK_RWLOCK_READ)
		return l->__readers >> 3 && !l->__cur_writer;
	return (uint32_t)l->__cur_writer == c->tid;
}

static bool semaphore_true(const uint32_t *word, struct claim *c)
{
	c->flags |= hint_flags(claim_lock(c)) & (MPSAN_LF_MUTUAL | MPSAN_LF_HANDOFF);
	if (word[2])
		c->flags |= MPSAN_LF_SHARED;
	if (stack_is_python(c->caller))
		c->flags |= MPSAN_LF_PYTHON;
	return word[0] == 0;
}

static bool spin_true(pthread_spinlock_t word, struct claim *c)
{
	c->flags |= hint_flags(claim_lock(c)) & MPSAN_LF_SHARED;
	return word != 1;
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
		return 0; /* a custom lock: its program's word is all there is */
	}
}

static bool memory_agrees(const union lock_memory *copy, struct claim *c)
{
	switch (MPSAN_TAG_KIND(c->tag)) {
	case MPSAN_LOCK_MUTEX:
		return mutex_true(&copy->mutex, c);
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		return rwlock_true(&copy->rwlock, c);
	case MPSAN_LOCK_SPIN:
		return spin_true(copy->spin, c);
	case MPSAN_LOCK_SEMAPHORE:
		return semaphore_true(copy->semaphore, c);
	default:
		return true;
	}
}

static void settle(struct claim *c, const union lock_memory *copy)
{
	c->flags = stack_in_module((uint64_t)(uintptr_t)claim_lock(c), NULL) ? MPSAN_LF_STATIC : 0;
	if (memory_agrees(copy, c))
		c->flags |= MPSAN_LF_VERIFIED;
}

/* After a batch that met memory which is not there: one by one. */
static void verify_one(struct claim *c, union lock_memory *copy)
{
	uint32_t bytes = bytes_of(MPSAN_TAG_KIND(c->tag));

	c->flags = 0;
	if (sys_peek(copy, claim_lock(c), bytes) == (long)bytes)
		settle(c, copy);
	else
		log_count(claims_unread);
}

#define BATCH 16u

static void verify_batch(struct claim *claim, uint32_t count)
{
	union lock_memory copy[BATCH];
	struct iovec to[BATCH], from[BATCH];
	long bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = bytes_of(MPSAN_TAG_KIND(claim[i].tag));

		to[i] = (struct iovec){ &copy[i], n };
		from[i] = (struct iovec){ (void *)(uintptr_t)claim_lock(&claim[i]), n };
		bytes += n;
	}
	if (sys_peek_many(to, from, count) == bytes) {
		for (uint32_t i = 0; i < count; i++)
			settle(&claim[i], &copy[i]);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		verify_one(&claim[i], &copy[i]);
}

void claims_verify(struct claim *claim, uint32_t count)
{
	for (uint32_t i = 0; i < count; i += BATCH)
		verify_batch(claim + i, count - i < BATCH ? count - i : BATCH);
}
