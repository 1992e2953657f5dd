/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises calls on shared memory by their paths, announces them, and records their results. */
#include "segment_call.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "../common/hash.h"
#include "../intercept/hook.h"
#include "../intercept/pidfd.h"
#include "../intercept/sys.h"
#include "../record/callsite_cache.h"
#include "../record/log.h"
#include "../record/state.h"
#include "descriptor.h"
#include "segment.h"

#define PATH_BYTES 288u
#define REFUSED_MAX 16u

static uint32_t refused_before[8]; /* by reason */

/* Whether a path may be that of a segment, by its text alone. */
static bool may_be_segment(const char *path)
{
	if (text_starts(path, "/dev/shm/"))
		return !text_starts(path, "/dev/shm/sem.") && *text_tail(path);
	return path[0] == '/' && text_starts(text_tail(path), "pym-");
}

/*
 * Copies the program's path or name as a full path; false: no segment, or not readable: what is
 * wrong with it is left to the kernel.
 */
static bool whole_path(char *to, const char *path, enum mpsan_shm_way way)
{
	char *end = to + PATH_BYTES;
	long bytes;

	if (way == MPSAN_SHM_OPEN) { /* libc itself reads that name as a string */
		while (*path == '/')
			path++;
		text_put(text_put(to, end, "/dev/shm/"), end, path);
		return may_be_segment(to);
	}
	bytes = path ? sys_peek(to, path, PATH_BYTES - 1) : 0;
	if (bytes <= 0)
		return false;
	to[bytes] = '\0';
	return may_be_segment(to);
}

/*
 * Writes a segment's name. Each occurs only once, so it must not displace other texts from the
 * log's cache.
 */
uint64_t segment_name(const char *path)
{
	return log_append(EV_text, path, strlen(path) + 1);
}

void segment_open_begin(struct segment_open *opening, const char *path, int flags,
			enum mpsan_shm_way way)
{
	char whole[PATH_BYTES];
	struct stat file;

	*opening = (struct segment_open){0};
	if (!life_may_change() || !whole_path(whole, path, way))
		return;
	GUARDED {
		opening->makes = flags & O_EXCL ||
				 SYS4(SYS_newfstatat, AT_FDCWD, whole, &file, 0) == -ENOENT;
		opening->name = opening->makes ? segment_name(whole) : 0;
		opening->key = log_key(EV_shm_intent, hash_text(HASH_EMPTY, whole), way);
		if (opening->name)
			opening->intent = ANNOUNCE(opening->key, shm_intent, .name = opening->name,
						   .way = way);
	}
}

static void segment_call_opened(const struct segment_open *opening, const char *path, int fd,
				int flags, enum mpsan_shm_way way, uint64_t caller)
{
	struct segment_arrival arrival = {.fd = fd,
					  .way = way,
					  .flags = (opening->makes ? MPSAN_SHM_MADE : 0) |
						   (flags & O_ACCMODE ? MPSAN_SHM_WRITABLE : 0),
					  .name = opening->name,
					  .caller = caller};
	struct stat file;

	if (SYS2(SYS_fstat, fd, &file) < 0 || !S_ISREG(file.st_mode))
		return;
	if (!arrival.name)
		arrival.name = segment_name(path);
	segment_arrived(&arrival, &file);
}

/* The path may be read plainly after a call that returned a descriptor or ENOENT. */
void segment_open_end(const struct segment_open *opening, const char *path, int fd, int flags,
		      enum mpsan_shm_way way, uint64_t caller)
{
	char whole[PATH_BYTES];
	int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		descriptor_made(fd);
	log_settle(opening->key, opening->intent, !error);
	if (error == EMFILE)
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "open", caller);
	if ((error && error != ENOENT && error != ENOSPC) || !life.attached || hook_off ||
	    (way == MPSAN_SHM_FILE && !may_be_segment(path)) ||
	    ((error || !opening->name) && !whole_path(whole, path, way)) || !life_may_change())
		return;
	GUARDED {
		if (!error)
			segment_call_opened(opening, whole, fd, flags, way, caller);
		else
			segment_refused(
				&(struct ev_shm_refused){.reason = error == ENOENT ?
									   MPSAN_SHM_NO_NAME :
									   MPSAN_SHM_NO_SPACE,
							 .name = log_text(whole),
							 .result = (uint64_t)error},
				way == MPSAN_SHM_OPEN ? "shm_open" : "open", caller);
	}
}

void segment_memfd(int fd, uint64_t caller)
{
	if (fd >= 0)
		descriptor_made(fd);
	else if (errno == EMFILE)
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "memfd_create", caller);
	if (fd < 0 || !life_may_change())
		return;
	GUARDED {
		segment_look(fd, MPSAN_SHM_MEMFD, 0, caller);
	}
}

void segment_fetched(int pidfd, int fd, uint64_t caller)
{
	if (fd >= 0)
		descriptor_made(fd);
	else if (errno == EMFILE)
		segment_no_descriptor(MPSAN_SHM_NO_DESCRIPTOR, "pidfd_getfd", caller);
	if (fd < 0 || !life_may_change())
		return;
	GUARDED {
		segment_look(fd, MPSAN_SHM_FETCHED, pidfd_process(pidfd), caller);
	}
}

uint64_t segment_free(int fd)
{
	struct statfs fs;
	struct segment segment;

	if (!segment_of(fd, &segment) || segment.device != segment_device() ||
	    SYS2(SYS_fstatfs, fd, &fs) < 0 || !fs.f_blocks)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
}

/* Whether a size exceeds the free space and what the file already has. */
static bool exceeds(int fd, uint64_t bytes, uint64_t free)
{
	struct stat file;

	if (bytes <= free || SYS2(SYS_fstat, fd, &file) < 0)
		return false;
	return bytes > free + (uint64_t)file.st_blocks * 512;
}

static void state_size(const struct segment *segment, uint64_t bytes, uint64_t free, int error,
		       uint64_t caller)
{
	struct where where = callsite_now(caller);

	EMIT(shm_size, .device = segment->device, .inode = segment->range.start, .bytes = bytes,
	     .free = free, .result = (uint64_t)error, .caller = caller, .stack = where.stack,
	     .python = where.python);
}

void segment_sized(int fd, uint64_t bytes, uint64_t free, int error, const char *function,
		   uint64_t caller)
{
	struct segment segment;
	bool own;

	if (!segment_of(fd, &segment) || !life_may_change())
		return;
	own = segment_is_own(&segment) && segment.flags & SEGMENT_MADE;
	if (own && !error)
		segment_later(&segment, MPSAN_LATER_BYTES(~0ull), MPSAN_LATER_BYTES(bytes));
	if ((own && !error && !exceeds(fd, bytes, free)))
		return;
	GUARDED {
		if (error == ENOSPC)
			segment_refused(&(struct ev_shm_refused){.reason = MPSAN_SHM_NO_SPACE,
								 .result = ENOSPC,
								 .device = segment.device,
								 .inode = segment.range.start,
								 .bytes = bytes,
								 .count = bytes,
								 .limit = free},
					function, caller);
		else
			state_size(&segment, bytes, free, error, caller);
	}
}

/*
 * Copies a path that is unlinked; of a relative one it is not known yet whether it is in /dev/shm.
 */
static bool removed_path(char *whole, const char *path, enum mpsan_shm_way way, bool *relative)
{
	char name[PATH_BYTES], *end = name + sizeof(name);

	whole[0] = '\0';
	*relative = false;
	if (whole_path(whole, path, way))
		return true;
	*relative = way == MPSAN_SHM_FILE && whole[0] && whole[0] != '/' &&
		    !text_starts(text_tail(whole), "sem.");
	if (*relative) {
		text_put(text_put(name, end, "/dev/shm/"), end, text_tail(whole));
		memcpy(whole, name, sizeof(name));
	}
	return *relative;
}

/* Announces an unlink: a flag for the process's own segments, an event for others. */
static void segment_call_announce(struct segment_unlinking *u, const char *path, uint64_t caller)
{
	struct segment segment, *place = segment_find(u->device, u->inode, &segment);
	bool own = place && segment_is_own(&segment);
	struct where where;
	uint64_t name;

	u->made = own && segment.flags & SEGMENT_MADE;
	if (u->made)
		segment_later(&segment, 0, MPSAN_LATER_UNLINKED);
	if (u->made || (!place && !segment_all_known()))
		return;
	name = segment_name(path);
	where = callsite_now(caller);
	if (place && !own)
		u->use = segment_inherited(&segment, MPSAN_SHM_UNLINKED, name, caller);
	u->removal = ANNOUNCE(log_key(EV_shm_unlinked, u->device, u->inode), shm_unlinked,
			      .name = name, .device = u->device, .inode = u->inode,
			      .bytes = u->bytes, .caller = caller, .stack = where.stack,
			      .python = where.python);
}

void segment_unlink_begin(struct segment_unlinking *unlinking, int at, const char *path,
			  enum mpsan_shm_way way, uint64_t caller)
{
	char whole[PATH_BYTES];
	struct stat file;
	bool relative;

	*unlinking = (struct segment_unlinking){0};
	if (!life.attached || hook_off || !removed_path(whole, path, way, &relative) ||
	    SYS4(SYS_newfstatat, at, relative ? path : whole, &file, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(file.st_mode) || (relative && file.st_dev != segment_device()) ||
	    !life_may_change())
		return;
	unlinking->device = file.st_dev;
	unlinking->inode = file.st_ino;
	unlinking->bytes = (uint64_t)file.st_size;
	GUARDED {
		segment_call_announce(unlinking, whole, caller);
	}
}

/* After a failure: clears the flag, unless the segment was already unlinked under another name. */
static void keep_name(const struct segment_unlinking *u, const struct segment *segment)
{
	if (u->made && segment && !(segment->flags & SEGMENT_UNLINKED))
		segment_later(segment, MPSAN_LATER_UNLINKED, 0);
	segment_not_used(MPSAN_SHM_UNLINKED, u->use);
}

void segment_unlink_end(const struct segment_unlinking *u, bool removed)
{
	struct segment segment, *place;

	if (!life_may_change())
		return;
	place = segment_find(u->device, u->inode, &segment);
	log_settle(log_key(EV_shm_unlinked, u->device, u->inode), u->removal, removed);
	if (!removed) {
		keep_name(u, place ? &segment : NULL);
	} else if (place && segment_is_own(&segment)) {
		__atomic_fetch_or(&place->flags, SEGMENT_UNLINKED, __ATOMIC_RELAXED);
		segment_mapped(&segment, 0);
	}
}

void segment_refused(const struct ev_shm_refused *refused, const char *function, uint64_t caller)
{
	struct ev_shm_refused event = *refused;
	uint32_t *before = &refused_before[event.reason % 8];
	struct where where;

	if (__atomic_fetch_add(before, 1, __ATOMIC_RELAXED) >= REFUSED_MAX)
		return;
	where = callsite_now(caller);
	event.function = log_text(function);
	event.caller = caller;
	event.stack = where.stack;
	event.python = where.python;
	log_append(EV_shm_refused, &event, sizeof(event));
}

static uint64_t descriptor_limit(void)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) < 0 ? 0 : limit.rlim_cur;
}

void segment_no_descriptor(enum mpsan_shm_reason reason, const char *function, uint64_t caller)
{
	int error = errno;

	if (!segment_descriptors || refused_before[reason % 8] >= REFUSED_MAX || !life_may_change())
		return;
	GUARDED {
		segment_refused(&(struct ev_shm_refused){.reason = reason,
							 .result = (uint64_t)error,
							 .count = segment_count(),
							 .limit = descriptor_limit()},
				function, caller);
	}
}

void segment_check_descriptors(uint64_t caller)
{
	static uint32_t highest; /* the limit is queried only when a new maximum is reached */
	static bool said;
	uint64_t limit;

	if (said || segment_descriptors <= highest)
		return;
	highest = segment_descriptors;
	limit = descriptor_limit();
	if (!limit || segment_descriptors * 5ull < limit * 4 || segment_count() * 5ull < limit * 4)
		return;
	said = true;
	segment_refused(&(struct ev_shm_refused){.reason = MPSAN_SHM_MANY_DESCRIPTORS,
						 .count = segment_descriptors,
						 .limit = limit},
			"", caller);
}
