/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a log and reads its records. */
#include "logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/guard.h"
#include "../base/plainfile.h"

#define CAP_MAX (1ull << 36) /* larger numbers are garbage */

static void name_log(char name[24], uint32_t slot)
{
	snprintf(name, 24, "%u.log", slot);
}

const struct mpsan_log *logfile_head(const struct logfile *log)
{
	return (const struct mpsan_log *)log->map;
}

/*
 * Maps the largest size the log may reach, so that pointers into it stay valid; `size` bounds the
 * reading.
 */
static bool map_log(struct logfile *log, int fd)
{
	struct mpsan_log head;
	struct stat st;
	void *map;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)MPSAN_LOG_START ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return false;
	if (head.magic != MPSAN_LOG_MAGIC || head.format != MPSAN_FORMAT)
		return false;
	log->inode = st.st_ino;
	log->size = st.st_size;
	log->mapped = head.cap > log->size && head.cap < CAP_MAX ? head.cap : log->size;
	map = mmap(NULL, log->mapped, PROT_READ, MAP_SHARED, fd, 0);
	log->lacks_memory = map == MAP_FAILED;
	log->map = map == MAP_FAILED ? NULL : map;
	if (log->map)
		guard_add(log->map, log->mapped, true);
	return log->map;
}

bool logfile_open(struct logfile *log, int dirfd, uint32_t slot)
{
	char name[24];
	bool sound;
	int fd;

	*log = (struct logfile){.slot = slot, .next = MPSAN_LOG_START, .fd = -1};
	name_log(name, slot);
	fd = plainfile_open(dirfd, name, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return false;
	sound = map_log(log, fd);
	close(fd);
	errno = 0;
	return sound;
}

bool logfile_open_at(struct logfile *log, int fd, uint32_t slot)
{
	*log = (struct logfile){.slot = slot, .next = MPSAN_LOG_START, .fd = fd};
	return map_log(log, fd);
}

void logfile_close(struct logfile *log)
{
	if (log->map) {
		guard_remove(log->map);
		munmap((void *)log->map, log->mapped);
	}
	log->map = NULL;
}

void logfile_refresh(struct logfile *log, int dirfd)
{
	struct stat st;
	char name[24];

	if (__atomic_load_n(&logfile_head(log)->head, __ATOMIC_ACQUIRE) <= log->size)
		return;
	name_log(name, log->slot);
	if (log->size < log->mapped &&
	    !(log->fd < 0 ? fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) : fstat(log->fd, &st)))
		log->size = (uint64_t)st.st_size < log->mapped ? (uint64_t)st.st_size : log->mapped;
}

/* The head of a record is written first, then its payload, and `commit` at last. */
enum shape { SHAPE_SOUND, SHAPE_BEGUN, SHAPE_BAD, SHAPE_EMPTY, SHAPE_GARBAGE };

/* Records that are updated in place have no checksum over their payload. */
static bool is_sum_right(const struct mpsan_record *head, uint32_t commit)
{
	uint64_t words = (head->units * MPSAN_UNIT - sizeof(*head)) / 8;

	return head->type == EV_thread || head->type == EV_comm ||
	       mpsan_record_sum((const uint64_t *)(head + 1), words) == (uint16_t)commit;
}

static bool fits(const struct logfile *log, uint64_t pos, uint64_t bytes)
{
	return bytes && bytes <= log->size - pos &&
	       pos / MPSAN_CHUNK == (pos + bytes - 1) / MPSAN_CHUNK;
}

static enum shape logfile_look(const struct logfile *log, uint64_t pos, uint64_t *bytes)
{
	const struct mpsan_record *head;
	uint64_t whole;
	uint32_t commit;

	*bytes = MPSAN_UNIT;
	if (pos < MPSAN_LOG_START || pos % MPSAN_UNIT || pos > log->size ||
	    log->size - pos < MPSAN_UNIT)
		return SHAPE_GARBAGE;
	head = (const struct mpsan_record *)(log->map + pos);
	commit = __atomic_load_n(&head->commit, __ATOMIC_ACQUIRE);
	whole = head->units * (uint64_t)MPSAN_UNIT;
	if (!fits(log, pos, whole))
		return commit ? SHAPE_GARBAGE : SHAPE_EMPTY;
	if (commit && commit >> 16 != MPSAN_RECORD_MAGIC)
		return SHAPE_GARBAGE;
	if (commit && !is_sum_right(head, commit))
		return SHAPE_BAD;
	*bytes = whole;
	return commit ? SHAPE_SOUND : SHAPE_BEGUN;
}

bool logfile_at(const struct logfile *log, uint64_t pos, struct record *out)
{
	uint64_t bytes;

	if (logfile_look(log, pos, &bytes) != SHAPE_SOUND)
		return false;
	logfile_take(log, pos, out);
	return true;
}

void logfile_take(const struct logfile *log, uint64_t pos, struct record *out)
{
	const struct mpsan_record *head = (const struct mpsan_record *)(log->map + pos);
	uint64_t bytes = head->units * (uint64_t)MPSAN_UNIT;

	if (!bytes || bytes > log->size - pos) /* it was valid before, so it is being changed */
		bytes = MPSAN_UNIT;
	*out = (struct record){
		.slot = log->slot,
		.by = head->slot,
		.tid = head->tid,
		.type = head->type,
		.pos = pos,
		.time_ns = head->time_ns,
		.later = __atomic_load_n(&head->later, __ATOMIC_ACQUIRE),
		.payload = head + 1,
		.bytes = bytes - sizeof(*head),
	};
}

uint64_t logfile_time(const struct logfile *log, uint64_t pos)
{
	return ((const struct mpsan_record *)(log->map + pos))->time_ns;
}

void logfile_release(const struct logfile *log)
{
	madvise((void *)log->map, log->mapped, MADV_DONTNEED);
}

/* What madvise leaves is a page of the page table for each log. */
void logfile_give_back(const struct logfile *log, int dirfd)
{
	char name[24];
	void *map = MAP_FAILED;
	struct stat st;
	int fd;

	logfile_release(log);
	name_log(name, log->slot);
	fd = plainfile_open(dirfd, name, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_ino == log->inode)
		map = mmap(NULL, log->mapped, PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED &&
	    mremap(map, log->mapped, log->mapped, MREMAP_MAYMOVE | MREMAP_FIXED,
		   (void *)log->map) == MAP_FAILED)
		munmap(map, log->mapped);
	close(fd);
}

static uint64_t reserved_end(const struct logfile *log)
{
	uint64_t head = __atomic_load_n(&logfile_head(log)->head, __ATOMIC_ACQUIRE);

	return head < log->size ? head : log->size;
}

#define BEGUN_FACTOR 10u /* a writer may have to wait for a processor */

/* Whether to skip an unfinished record; the unused end of a chunk looks like one. */
static bool is_gap_passed(struct logfile *log, uint64_t now, uint64_t patience_ns)
{
	if (!log->gap_since)
		log->gap_since = now;
	if (now - log->gap_since < patience_ns)
		return false;
	return true;
}

bool logfile_next(struct logfile *log, uint64_t now, uint64_t patience_ns, struct record *out)
{
	uint64_t end = reserved_end(log), bytes;
	bool in_gap = false;

	while (log->next < end) {
		enum shape shape = logfile_look(log, log->next, &bytes);

		bool gap = shape == SHAPE_EMPTY || shape == SHAPE_BEGUN;

		if (gap && !(in_gap && shape == SHAPE_EMPTY) &&
		    !is_gap_passed(log, now,
				   shape == SHAPE_BEGUN ? BEGUN_FACTOR * patience_ns : patience_ns))
			return false;
		in_gap = gap;
		log->gap_since = in_gap ? log->gap_since : 0;
		log->next += bytes;
		if (shape == SHAPE_SOUND)
			return logfile_take(log, log->next - bytes, out), true;
		log->unfinished += shape == SHAPE_BEGUN;
		log->bad += !gap;
	}
	return false;
}

int record_compare(const void *one, const void *other)
{
	const struct record *a = one, *b = other;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}
