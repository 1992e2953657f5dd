/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks claims against the locks' memory. The layouts are those of glibc's public headers
 * (bits/struct_mutex.h, bits/struct_rwlock.h). A sem_t has no public layout: its value is the low
 * half of its first word, and its third word marks a process-shared one (nptl/semaphoreP.h,
 * unchanged since 2.21).
 */
#include "claim.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/uio.h>

#include "../common/cpython/lock.h"
#include "../common/mutex_owner.h"
#include "../intercept/sys.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "libc_locks.h"
#include "loader_locks.h"

#define KIND_TYPE 3

uint32_t claim_mutex_flags(int kind)
{
	uint32_t flags = 0;

	if (kind & MUTEX_KIND_SHARED)
		flags |= MPSAN_LF_SHARED;
	if (kind & MUTEX_KIND_ROBUST)
		flags |= MPSAN_LF_ROBUST;
	if (kind & MUTEX_KIND_PI)
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
	return m->__lock &&
	       mutex_owner(m->__kind, (uint32_t)m->__lock, (uint32_t)m->__owner) == c->tid;
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
	if (word[2])
		c->flags |= MPSAN_LF_SHARED;
	if (modules_is_python(c->caller))
		c->flags |= MPSAN_LF_PYTHON;
	return word[0] == 0;
}

union lock_memory {
	struct __pthread_mutex_s mutex;
	struct __pthread_rwlock_arch_t rwlock;
	pthread_spinlock_t spin;
	uint32_t semaphore[4];
	uint64_t guard;
	uint8_t python;
	struct libc_lock_mark mark;
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
	case MPSAN_LOCK_GUARD:
		return sizeof(uint64_t);
	case MPSAN_LOCK_PYTHON:
		return sizeof(uint8_t);
	case MPSAN_LOCK_LIBC:
		return sizeof(struct libc_lock_mark);
	default:
		return 0; /* a custom lock: only the program knows */
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
		return copy->spin != ARCH_SPIN_FREE;
	case MPSAN_LOCK_SEMAPHORE:
		return semaphore_true(copy->semaphore, c);
	case MPSAN_LOCK_GUARD:
		return claim_guard_open(&copy->guard);
	case MPSAN_LOCK_PYTHON:
		c->flags |= MPSAN_LF_PYTHON;
		return copy->python & CPYTHON_MUTEX_LOCKED;
	case MPSAN_LOCK_LIBC:
		return copy->mark.magic == LIBC_LOCK_MAGIC;
	/* the loader's or a Python module's, without an owner in memory */
	case MPSAN_LOCK_IMPORT:
		return claim_lock(c) != loader_lock() || loader_owner(loader_lock()) == c->tid;
	default:
		return true;
	}
}

static void claim_settle(struct claim *c, const union lock_memory *copy)
{
	if (MPSAN_TAG_KIND(c->tag) == MPSAN_LOCK_IMPORT &&
	    claim_lock(c) != loader_lock()) { /* a Python module's: its address is a hash */
		c->flags = MPSAN_LF_VERIFIED | MPSAN_LF_PYTHON;
		return;
	}
	c->flags = lock_hint_flags(claim_lock(c));
	if (modules_have((uint64_t)(uintptr_t)claim_lock(c), NULL))
		c->flags |= MPSAN_LF_STATIC;
	if (memory_agrees(copy, c))
		c->flags |= MPSAN_LF_VERIFIED;
}

#define AT_ONCE 32u

/* Checks as many claims as one system call reads, up to the first whose memory is not readable: returns how many. */
static uint32_t verify_some(struct claim *claim, uint32_t count)
{
	struct iovec to[AT_ONCE], from[AT_ONCE];
	char memory[AT_ONCE * sizeof(union lock_memory)], *end = memory;
	union lock_memory copy;
	uint32_t i;
	long got;

	count = count < AT_ONCE ? count : AT_ONCE;
	for (i = 0; i < count; i++) {
		uint32_t bytes = bytes_of(MPSAN_TAG_KIND(claim[i].tag));

		to[i] = (struct iovec){end, bytes};
		from[i] = (struct iovec){(void *)(uintptr_t)claim_lock(&claim[i]), bytes};
		end += bytes;
	}
	got = end > memory ? sys_peek_many(to, from, count) : 0;
	end = memory + (got > 0 ? got : 0);
	for (i = 0; i < count && (char *)to[i].iov_base + to[i].iov_len <= end; i++) {
		memcpy(&copy, to[i].iov_base, to[i].iov_len);
		claim_settle(&claim[i], &copy);
	}
	if (i == count)
		return count;
	claim[i].flags = 0;
	log_count(claims_unread);
	return i + 1;
}

void claims_verify(struct claim *claim, uint32_t count)
{
	for (uint32_t i = 0; i < count;)
		i += verify_some(claim + i, count - i);
}
