/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks that create, resize, map and unmap shared memory. Private mappings cost one test; the hooks
 * of frequent calls look at one word and jump on. See segment_call.h, mapping.h.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../intercept/hook.h"
#include "../resources/descriptor.h"
#include "../resources/fd_passing.h"
#include "../resources/mapping.h"
#include "../resources/segment_call.h"

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	ENTER(shm_open);
	struct segment_open opening = {0};
	int fd;

	if (flags & O_CREAT)
		segment_open_begin(&opening, name, flags, MPSAN_SHM_OPEN);
	fd = REAL(shm_open)(name, flags, mode);
	segment_open_end(&opening, name, fd, flags, MPSAN_SHM_OPEN, CALLER);
	return fd;
}

EXPORT int shm_unlink(const char *name)
{
	ENTER(shm_unlink);
	struct segment_unlinking unlinking;
	int result;

	segment_unlink_begin(&unlinking, AT_FDCWD, name, MPSAN_SHM_OPEN, CALLER);
	result = REAL(shm_unlink)(name);
	if (unlinking.inode)
		segment_unlink_end(&unlinking, !result);
	return result;
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
	ENTER(memfd_create);
	int fd = REAL(memfd_create)(name, flags);

	segment_memfd(fd, CALLER);
	return fd;
}

/* Records a mapping. A mapping at a fixed address replaces what was there. */
static inline void *memory_put(void *at, size_t bytes, int flags, uint64_t caller)
{
	if (UNLIKELY(flags & MAP_FIXED && at != MAP_FAILED &&
		     mapping_may_touch((uint64_t)(uintptr_t)at, bytes)))
		mapping_gone((uint64_t)(uintptr_t)at, bytes, caller);
	return at;
}

static inline void *mapped(void *at, size_t bytes, int protection, int fd, uint64_t caller)
{
	fd_passing_mapped(fd);
	if (LIKELY(at != MAP_FAILED))
		mapping_made((uint64_t)(uintptr_t)at, bytes, protection & PROT_WRITE, fd, caller);
	else if (errno == ENOMEM)
		mapping_refused(fd, bytes, caller);
	return at;
}

#define MMAP(name, offset_type)                                                              \
	EXPORT void *name(void *at, size_t bytes, int protection, int flags, int fd,         \
			  offset_type offset)                                                \
	{                                                                                    \
		ENTER(name);                                                                 \
		if (LIKELY(!(flags & (MAP_SHARED | MAP_FIXED))))                             \
			return REAL(name)(at, bytes, protection, flags, fd, offset);         \
		at = memory_put(REAL(name)(at, bytes, protection, flags, fd, offset), bytes, \
				flags, CALLER);                                              \
		if (!(flags & MAP_SHARED) || flags & MAP_ANONYMOUS)                          \
			return at;                                                           \
		return mapped(at, bytes, protection, fd, CALLER);                            \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

EXPORT int munmap(void *at, size_t bytes)
{
	ENTER(munmap);
	int result;

	if (LIKELY(!mapping_may_touch((uint64_t)(uintptr_t)at, bytes)))
		return REAL(munmap)(at, bytes);
	mapping_gone((uint64_t)(uintptr_t)at, bytes, CALLER);
	result = REAL(munmap)(at, bytes);
	return result;
}

EXPORT void *mremap(void *from, size_t before, size_t bytes, int flags, ...)
{
	ENTER(mremap);
	void *wanted, *to;
	va_list rest;

	va_start(rest, flags);
	wanted = va_arg(rest, void *);
	va_end(rest);
	to = REAL(mremap)(from, before, bytes, flags, wanted);
	if (flags & MREMAP_FIXED)
		memory_put(to, bytes, MAP_FIXED, CALLER);
	if (UNLIKELY(to != MAP_FAILED && mapping_may_touch((uint64_t)(uintptr_t)from, before)))
		mapping_moved((uint64_t)(uintptr_t)from, before, (uint64_t)(uintptr_t)to, bytes);
	return to;
}

static inline bool is_segment(int fd)
{
	return UNLIKELY(descriptor_known(fd) & DESCRIPTOR_SEGMENT);
}

#define TRUNCATE(name, offset_type)                                                          \
	EXPORT int name(int fd, offset_type bytes)                                           \
	{                                                                                    \
		ENTER(name);                                                                 \
		uint64_t free;                                                               \
		int result;                                                                  \
                                                                                             \
		if (!is_segment(fd))                                                         \
			return REAL(name)(fd, bytes);                                        \
		free = segment_free(fd);                                                     \
		result = REAL(name)(fd, bytes);                                              \
		segment_sized(fd, (uint64_t)bytes, free, result ? errno : 0, #name, CALLER); \
		return result;                                                               \
	}
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define FALLOCATE(name, offset_type)                                                           \
	EXPORT int name(int fd, int mode, offset_type offset, offset_type bytes)               \
	{                                                                                      \
		ENTER(name);                                                                   \
		uint64_t free;                                                                 \
		int result;                                                                    \
                                                                                               \
		if (!is_segment(fd) || mode)                                                   \
			return REAL(name)(fd, mode, offset, bytes);                            \
		free = segment_free(fd);                                                       \
		result = REAL(name)(fd, mode, offset, bytes);                                  \
		segment_sized(fd, (uint64_t)(offset + bytes), free, result ? errno : 0, #name, \
			      CALLER);                                                         \
		return result;                                                                 \
	}
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

#define POSIX_FALLOCATE(name, offset_type)                                                  \
	EXPORT int name(int fd, offset_type offset, offset_type bytes)                      \
	{                                                                                   \
		ENTER(name);                                                                \
		uint64_t free;                                                              \
		int result;                                                                 \
                                                                                            \
		if (!is_segment(fd))                                                        \
			return REAL(name)(fd, offset, bytes);                               \
		free = segment_free(fd);                                                    \
		result = REAL(name)(fd, offset, bytes);                                     \
		segment_sized(fd, (uint64_t)(offset + bytes), free, result, #name, CALLER); \
		return result;                                                              \
	}
POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)
